"""Alerts in job files: what they become, what a plan shows, and what is refused with its place."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rota.errors import BadFile
from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.rule import AlertRule, QuietHours
from rota.model.jobs.apply_plan import Change, FieldChange, Plan, Stored, Wish
from rota.model.jobs.bundle import Bundle
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.plan import make_plan

FILE = """
alerts:
  channels:
    ops: https://hooks.slack.com/services/T0/B0/${SLACK_KEY}
    hook: {url: "https://example.org/hook", secret: "${HOOK_SECRET}", note: of the team}
    mail: {url: "smtp://me:${MAIL_PASSWORD}@mx/?from=a@x.org&to=b@x.org"}
  rules:
    failures: {on: run.failed, to: ops}
    nightly:
      on: [deadline.missed, deadline.at_risk]
      to: [ops, mail]
      jobs: etl.*
      severity: critical
      repeat: never
      quiet: {begin: 22:00, end: 07:00, zone: Europe/Paris}
"""


def read(text: str = FILE) -> Bundle:
    return read_bundle(text.encode(), "folder/alerts.yaml")


def plan(bundle: Bundle, **stored: Any) -> Plan:
    return make_plan([bundle], Stored(now=0, **stored), Wish(), seed=lambda name: name)


def test_a_file_may_hold_alerts_alone() -> None:
    found = read()

    assert found.jobs == {}
    assert found.channels["ops"].url.endswith("${SLACK_KEY}")
    assert found.channels["hook"] == AlertChannel(
        url="https://example.org/hook", secret="${HOOK_SECRET}", note="of the team"
    )
    assert found.alert_rules == {
        "failures": AlertRule(on=("run.failed",), to=("ops",)),
        "nightly": AlertRule(
            on=("deadline.missed", "deadline.at_risk"),
            to=("ops", "mail"),
            jobs=("etl.*",),
            severity="critical",
            repeat=None,
            quiet=QuietHours(begin="22:00", end="07:00", zone="Europe/Paris"),
        ),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rules: {a: {on: run.failed}}", "alerts.rules.a: alert rule: .*`to`"),
        ("rules: {a: {on: run.fail, to: b}}", "alerts.rules.a: alert rule: Invalid enum value"),
        ("rules: {a: {on: run.failed, too: b}}", "alerts.rules.a.too: .*Did you mean 'to'"),
        ("channel: {}", "alerts.channel: .*Did you mean 'channels'"),
        ("channels: {a: {uri: x}}", "alerts.channels.a.uri: .*Did you mean 'url'"),
        ("channels: {a: 5}", "alerts.channels.a: 5 is not a mapping"),
        ("channels: {a: nowhere}", "alerts.channels.a: url: 'nowhere' is no URL"),
        ("channels: {a: {url: 'https://x.org', secret: abc}}", "secret: a file holds no secrets"),
        ("channels: {a: 'https://hooks.slack.com/services/T/B/x'}", "url: a file holds no secr"),
        ("channels: {a: 'msteams://t/a/b/c'}", "url: a file holds no secrets"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(BadFile, match=f"^folder/alerts.yaml:.*{says}"):
        read(f"alerts:\n  {text}\n")


def test_the_password_of_a_channel_does_not_stand_in_a_file() -> None:
    for url in ("smtp://me:pw@mx/?from=a@x&to=b@x", "https://me:pw@example.org/"):
        with pytest.raises(BadFile, match=r"write \${NAME} for the password"):
            read(f"alerts: {{channels: {{a: '{url}'}}}}")


def test_a_plan_adds_what_is_new_and_leaves_the_rest() -> None:
    found = read()

    assert [(each.kind, each.name) for each in plan(found).changes] == [
        ("alert channel", "ops"),
        ("alert channel", "hook"),
        ("alert channel", "mail"),
        ("alert rule", "failures"),
        ("alert rule", "nightly"),
    ]
    same = plan(found, channels=found.channels, alert_rules=found.alert_rules)
    assert (same.changes, same.unchanged) == ((), 5)


def test_a_plan_names_a_changed_secret_and_does_not_show_it() -> None:
    found = read()
    had = {
        **found.channels,
        "ops": replace(found.channels["ops"], url="https://hooks.slack.com/services/T0/B0/old"),
        "hook": replace(found.channels["hook"], secret="old"),
    }

    changes = plan(found, channels=had, alert_rules=found.alert_rules).changes

    hidden = {"old": "hidden", "new": "hidden"}
    assert changes == (
        Change(
            kind="alert channel",
            name="ops",
            verb="change",
            fields=(FieldChange(field="url", **hidden),),
        ),
        Change(
            kind="alert channel",
            name="hook",
            verb="change",
            fields=(FieldChange(field="secret", **hidden),),
        ),
    )


def test_a_plan_shows_what_changes_in_a_rule() -> None:
    found = read()
    had = {**found.alert_rules, "failures": AlertRule(on=("run.failed",), to=("ops",), after=3)}

    (change,) = plan(found, channels=found.channels, alert_rules=had).changes

    assert (change.kind, change.name) == ("alert rule", "failures")
    assert change.fields == (FieldChange(field="after", old=3, new=1),)
