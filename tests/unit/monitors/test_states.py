"""The states of a monitor: pings and the clock decide, nothing else."""

from __future__ import annotations

import pytest

from rota.model.monitors.monitor import MonitorFacts, PingFacts, PingKind
from rota.rules.monitors.states import (
    after_ping,
    down_reason,
    duration_ms,
    last_heard,
    paused,
    resumed,
    state_of,
    with_times,
)

T0 = 1_800_000_000_000
MINUTE = 60_000
PERIOD = 60 * MINUTE
GRACE = 10 * MINUTE
ONE, OTHER = ("11111111-1111-4111-8111-11111111111" + digit for digit in "12")


def following(at: int) -> int | None:
    return at + PERIOD


def told(
    facts: MonitorFacts,
    kind: PingKind,
    at: int,
    *,
    rid: str | None = None,
    manual_resume: bool = False,
) -> MonitorFacts:
    return after_ping(
        facts,
        PingFacts(kind=kind, rid=rid),
        at,
        following=following,
        grace_ms=GRACE,
        manual_resume=manual_resume,
    )


NEW = MonitorFacts()
UP = told(NEW, "success", T0)


def test_a_new_monitor_waits_for_its_first_ping_however_long_it_takes() -> None:
    assert state_of(NEW, T0 + 1_000 * PERIOD) == "new"


@pytest.mark.parametrize(
    ("after_ms", "state"),
    [
        (0, "up"),
        (PERIOD - 1, "up"),
        (PERIOD, "late"),
        (PERIOD + GRACE - 1, "late"),
        (PERIOD + GRACE, "down"),
    ],
)
def test_a_missing_ping_is_late_and_then_down(after_ms: int, state: str) -> None:
    assert state_of(UP, T0 + after_ms) == state


def test_a_failure_is_down_at_once_and_a_success_brings_it_up() -> None:
    failed = told(UP, "fail", T0 + MINUTE)
    up = told(failed, "success", T0 + 2 * MINUTE)

    assert state_of(failed, T0 + MINUTE) == "down"
    assert state_of(up, T0 + 2 * MINUTE) == "up"
    assert up.expected_at == T0 + 2 * MINUTE + PERIOD


def test_a_start_without_an_end_within_the_grace_time_is_down() -> None:
    started = told(UP, "start", T0 + MINUTE)

    assert state_of(started, T0 + MINUTE + GRACE - 1) == "started"
    assert state_of(started, T0 + MINUTE + GRACE) == "down"


def test_the_first_start_of_all_must_end_within_the_grace_time_too() -> None:
    started = told(NEW, "start", T0)

    assert state_of(started, T0) == "started"
    assert state_of(started, T0 + GRACE) == "down"


def test_a_start_does_not_bring_it_up() -> None:
    failed = told(UP, "fail", T0 + MINUTE)
    again = told(failed, "start", T0 + 2 * MINUTE)

    assert state_of(again, T0 + 2 * MINUTE) == "down"
    assert state_of(told(again, "success", T0 + 3 * MINUTE), T0 + 3 * MINUTE) == "up"


def test_a_late_start_has_only_what_is_left_of_the_grace_time() -> None:
    started = told(UP, "start", T0 + PERIOD + GRACE - MINUTE)

    assert state_of(started, T0 + PERIOD + GRACE - 1) == "started"
    assert state_of(started, T0 + PERIOD + GRACE) == "down"


def test_a_line_of_log_changes_nothing() -> None:
    assert told(UP, "log", T0 + MINUTE) is UP


def test_an_end_is_paired_with_its_start_by_the_id_of_the_run() -> None:
    started = told(UP, "start", T0, rid=ONE)

    assert duration_ms(started, PingFacts(kind="success", rid=ONE), T0 + 5) == 5
    assert duration_ms(started, PingFacts(kind="success", rid=OTHER), T0 + 5) is None


def test_the_success_of_another_run_leaves_a_run_under_way() -> None:
    started = told(UP, "start", T0, rid=ONE)
    other = told(started, "success", T0 + MINUTE, rid=OTHER)

    assert state_of(other, T0 + MINUTE) == "started"
    assert state_of(other, T0 + GRACE) == "down"
    assert state_of(told(other, "success", T0 + 2 * MINUTE, rid=ONE), T0 + GRACE) == "up"


@pytest.mark.parametrize(("kind", "rid"), [("success", None), ("fail", OTHER)])
def test_a_success_without_an_id_and_any_failure_end_the_run(
    kind: PingKind, rid: str | None
) -> None:
    started = told(UP, "start", T0, rid=ONE)

    assert told(started, kind, T0 + MINUTE, rid=rid).started_at is None


def test_nothing_is_expected_of_a_paused_monitor() -> None:
    held = paused(told(UP, "fail", T0 + MINUTE))

    assert state_of(held, T0 + 1_000 * PERIOD) == "paused"
    assert state_of(resumed(held), T0 + 1_000 * PERIOD) == "new"


@pytest.mark.parametrize(("kind", "state"), [("success", "up"), ("start", "started")])
def test_a_ping_ends_a_pause(kind: PingKind, state: str) -> None:
    assert state_of(told(paused(UP), kind, T0 + MINUTE), T0 + MINUTE) == state


def test_a_ping_leaves_a_pause_that_people_must_end() -> None:
    assert state_of(told(paused(UP), "fail", T0, manual_resume=True), T0) == "paused"


def test_a_new_definition_moves_the_times_and_keeps_what_pings_have_told() -> None:
    faster = with_times(UP, following=lambda at: at + MINUTE, grace_ms=MINUTE)

    assert (faster.expected_at, faster.down_at) == (T0 + MINUTE, T0 + 2 * MINUTE)
    assert with_times(NEW, following=following, grace_ms=GRACE) == NEW


def test_the_reason_says_what_is_missing() -> None:
    started = told(UP, "start", T0 + MINUTE)
    failed = told(UP, "fail", T0 + MINUTE)

    assert down_reason(UP, None) == "has not pinged in time"
    assert down_reason(started, None) == "has started and not ended in time"
    assert last_heard(started) == T0 + MINUTE
    assert down_reason(failed, None) == "failed"
    assert down_reason(failed, 3) == "ended with exit status 3"
