"""Bugs in monitors: down without a word, up without a reason, or open to strangers."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

STATES = "rules/monitors/states.py"
BATCHER = "api/monitors/ping_batcher.py"
PING = "api/routes/monitors/ping.py"
T_STATES = "tests/unit/monitors/test_states.py::"
T_PING = "tests/api/monitors/test_ping.py::"

MONITORING = (
    Sabotage(
        name="a start brings a monitor up",
        breaks="A job that fails and starts again is told to be well.",
        edits=(
            Edit(
                path=STATES,
                within="_started",
                old="end_by if facts.down_at is None else min(facts.down_at, end_by)",
                new="end_by",
            ),
        ),
        caught_by=(T_STATES + "test_a_start_does_not_bring_it_up",),
    ),
    Sabotage(
        name="a start may last for ever",
        breaks="A job that hangs is never told.",
        edits=(
            Edit(
                path=STATES,
                within="_started",
                old="end_by = now + grace_ms",
                new="end_by = now + grace_ms * 1_000",
            ),
        ),
        caught_by=(T_STATES + "test_a_start_without_an_end_within_the_grace_time_is_down",),
    ),
    Sabotage(
        name="no bound on the log of a ping",
        breaks="Whoever has an address fills the database.",
        edits=(
            Edit(
                path=PING,
                within="_text",
                old="text.encode()[:PING_BODY_BYTES]",
                new="text.encode()",
            ),
        ),
        caught_by=(T_PING + "test_a_long_log_is_cut_and_its_ping_counts[sqlite-no text]",),
    ),
    Sabotage(
        name="no rate of pings",
        breaks="One job that pings without end takes the database from all others.",
        edits=(Edit(path=BATCHER, within="_take", old="if wait_s:", new="if False:"),),
        caught_by=(T_PING + "test_a_flood_of_pings_of_one_monitor_is_slowed_down[sqlite]",),
    ),
    Sabotage(
        name="viewers see the addresses of monitors",
        breaks="Those who may only look can say that a job has run.",
        edits=(
            Edit(
                path="operations/monitors/monitors.py",
                within="is_masked",
                old='not caller.may("ping")',
                new="False",
            ),
        ),
        caught_by=(T_PING + "test_a_viewer_sees_no_address[sqlite]",),
    ),
    Sabotage(
        name="a rotated address still works",
        breaks="An address that leaked cannot be taken back.",
        edits=(
            Edit(
                path="store/sql/monitors/monitors.sql",
                within="change_ping_id",
                old="set ping_id = :ping_id,",
                new="set ping_id = ping_id,",
            ),
        ),
        caught_by=(T_PING + "test_an_unknown_address_is_not_found[sqlite]",),
    ),
)
