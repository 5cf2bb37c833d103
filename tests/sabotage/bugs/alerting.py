"""Bugs in alerts: told twice, never told, told without end, or with a secret."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

INCIDENTS = "store/sql/alerts/incidents.sql"
MESSAGES = "store/sql/alerts/messages.sql"
PLAN = "rules/alerts/plan.py"
T_INCIDENTS = "tests/contract/alerts/test_incidents.py::"
T_MESSAGES = "tests/contract/alerts/test_messages.py::"
T_DEADLINES = "tests/contract/alerts/test_deadlines.py::"
T_SECURITY = "tests/contract/alerts/test_security.py::"
T_SERVICES = "tests/integration/test_alert_services.py::"
T_PLAN = "tests/unit/alerts/test_plan.py::"
T_CHECKS = "tests/unit/alerts/test_checks.py::"

ALERTING = (
    Sabotage(
        name="reminders without a guard",
        breaks="Two processes remind people of the same incident.",
        edits=(
            Edit(
                path=INCIDENTS,
                within="move_incident",
                old="and messages = :was_messages",
                new="and messages >= 0",
            ),
        ),
        caught_by=(T_INCIDENTS + "test_of_two_processes_one_reminds[sqlite]",),
    ),
    Sabotage(
        name="a message is taken twice",
        breaks="Two processes send the same message.",
        edits=(
            Edit(
                path=MESSAGES,
                within="take_alert_message",
                old="and tries = :tries",
                new="and tries >= 0",
            ),
        ),
        caught_by=(T_MESSAGES + "test_of_two_processes_one_sends[sqlite]",),
    ),
    Sabotage(
        name="old failures open incidents again",
        breaks="People are told again of a failure that is over.",
        edits=(
            Edit(
                path=PLAN,
                within="_changes",
                old="each.at > closed.get(key, -1)",
                new="each.at > 0",
            ),
        ),
        caught_by=(
            T_INCIDENTS
            + "test_a_job_has_recovered_when_a_later_run_succeeds_and_it_stays_so[sqlite]",
        ),
    ),
    Sabotage(
        name="no bound on messages",
        breaks="A bad night is a thousand messages.",
        edits=(
            Edit(
                path=PLAN,
                within="_within_budget",
                old="told.messages + len(due) <= rule.at_most",
                new="True",
            ),
        ),
        caught_by=(T_PLAN + "test_messages_are_bounded_and_no_incident_is_left_untold",),
    ),
    Sabotage(
        name="what is not told is closed",
        breaks="An incident whose message had to wait is never told.",
        edits=(
            Edit(
                path=PLAN,
                within="_within_budget",
                old="waiting = [each for _, each in due if each.closed_at is None]",
                new="waiting = [_told(each, now) for _, each in due]",
            ),
        ),
        caught_by=(T_INCIDENTS + "test_a_rule_that_has_used_up_its_messages_loses_none[sqlite]",),
    ),
    Sabotage(
        name="a risk that came true is over",
        breaks="People are told that all is well when the deadline is missed.",
        edits=(
            Edit(
                path="engine/alerts/deadlines.py",
                within="_at_risk",
                old="found[run.job] = _risk(each, None, look, opens=False)",
                new="pass",
            ),
        ),
        caught_by=(T_DEADLINES + "test_a_risk_that_came_true_is_not_said_to_be_over[sqlite]",),
    ),
    Sabotage(
        name="the end of the audit is not watched",
        breaks="Nobody is told that the newest entries of the audit were removed.",
        edits=(
            Edit(
                path="engine/identity/audit_chain.py",
                within="walk_on",
                old="if not says and is_end and walk.seq < head:",
                new="if walk.seq < 0:",
            ),
        ),
        caught_by=(T_SECURITY + "test_a_chain_that_lost_its_end_is_found[sqlite]",),
    ),
    Sabotage(
        name="each message is an incident of its own",
        breaks="PagerDuty goes on ringing when an alert is over.",
        edits=(
            Edit(
                path="runtime/alerts/apprise.py",
                within="with_incident",
                old='one = incidents[0]["id"] if len(incidents) == 1 else facts["id"]',
                new='one = facts["kind"]',
            ),
        ),
        caught_by=(T_SERVICES + "test_pagerduty_resolves_the_incident_that_an_alert_opened",),
    ),
    Sabotage(
        name="authors bring alert channels",
        breaks="Who may write jobs sends alerts wherever they want.",
        edits=(
            Edit(
                path="operations/jobs/files.py",
                within="_check_channels",
                old='if touched and not caller.credential.has("admin"):',
                new="if not touched and touched:",
            ),
        ),
        caught_by=("tests/api/jobs/test_files.py::test_only_admins_bring_alert_channels[sqlite]",),
    ),
    Sabotage(
        name="secrets stand in files",
        breaks="The password of a channel is in version control.",
        edits=(
            Edit(
                path="rules/alerts/file_checks.py",
                within="check_file_channel",
                old="if password:",
                new="if not password and password:",
            ),
        ),
        caught_by=(
            "tests/unit/alerts/test_files.py::test_the_password_of_a_channel_does_not_stand_in_a_file",
        ),
    ),
    Sabotage(
        name="a shorter audit begins anew",
        breaks="Nobody is told of an audit that was cut together with its head.",
        edits=(
            Edit(
                path="engine/identity/audit_chain.py",
                within="walk_on",
                old="head < since.head",
                new="head < 0",
            ),
        ),
        caught_by=(
            T_SECURITY + "test_a_chain_that_was_cut_with_its_head_is_found_by_who_saw_it[sqlite]",
        ),
    ),
    Sabotage(
        name="the URL of a channel is shown whole",
        breaks="Everybody who may look sees the key of a webhook.",
        edits=(
            Edit(
                path="rules/alerts/checks.py",
                within="shown_url",
                old='return f"{address.scheme}://{address.hostname}{port}/..."',
                new="return channel.url",
            ),
        ),
        caught_by=(T_CHECKS + "test_the_path_of_a_webhook_is_not_shown",),
    ),
)
