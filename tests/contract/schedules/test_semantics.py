"""Cases of other schedulers that have an id: what Rota does instead, on a real store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rota.clock import to_datetime
from rota.engine.runs.finish import finish
from rota.engine.schedules.calendars import put_calendar
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.stale import FIRST, find_stale, look_again
from rota.model.runs.run import Verdict
from rota.model.schedules.definitions import Calendar, Cron, Every, Schedule
from rota.model.states import State
from rota.rules.schedules.triggers import compile as compiling
from rota.rules.schedules.zones import zone
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    START_MS,
    Clock,
    cancel_run,
    claim_some,
    finish_with,
    look,
)
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.builders import (
    DAY,
    HOUR,
    MINUTE,
    end_one,
    every,
    fire_some,
    fired,
    given_job,
    given_schedule,
    instants,
    next_ms,
    origin_of,
    put,
    runs_of,
    show,
    states_of,
)

ON = START_MS // DAY * DAY
DAILY = Schedule(trigger=Cron(expression="0 6 * * *"), zone="Africa/Cairo", grace="1h")
TWO_HOURS, THREE_HOURS = "Africa/Tripoli", "Africa/Nairobi"
"""Zones without shifts: what an older and a newer release say of the same zone."""

Release = Callable[[str, str], CompiledSchedules]


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Iterator[Release]:
    """A process with zone data of that version, in which Cairo has the clock of another zone."""

    def take(version: str, like: str) -> CompiledSchedules:
        compiling._compile.cache_clear()
        monkeypatch.setattr(compiling, "zone", lambda _: zone(like))
        return CompiledSchedules(version, lambda: 0.5)

    yield take
    compiling._compile.cache_clear()


def given_daily(store: Store, tables: CompiledSchedules) -> int | None:
    given_job(store)
    return next_ms(put(store, DAILY, compiled=tables))


def reckon(store: Store, version: str) -> None:
    stale, _ = store.read(lambda tx: find_stale(tx, rules_version=version, after=FIRST, limit=10))
    store.write(lambda tx: look_again(tx, stale))


def test_dst_14_a_time_that_moves_earlier_fires_then_and_not_at_the_old_time(
    store: Store, clock: Clock, release: Release
) -> None:
    assert given_daily(store, release("2026a", TWO_HOURS)) == ON + 4 * HOUR

    newer = release("2026b", THREE_HOURS)
    reckon(store, "2026b")
    fire_some(store, tables=newer)
    moved = next_ms(show(store))
    for _ in range(5 * 60):
        clock.advance(MINUTE)
        fire_some(store, tables=newer)

    assert moved == ON + 3 * HOUR
    assert instants(store) == [ON + 3 * HOUR]
    assert next_ms(show(store)) == ON + DAY + 3 * HOUR


def test_dst_14_a_time_that_has_moved_into_the_past_is_late_and_not_lost(
    store: Store, clock: Clock, release: Release
) -> None:
    given_daily(store, release("2026a", TWO_HOURS))
    clock.advance(3 * HOUR + 30 * MINUTE)

    newer = release("2026b", THREE_HOURS)
    reckon(store, "2026b")
    fire_some(store, tables=newer)
    clock.advance(30 * MINUTE)
    fire_some(store, tables=newer)

    assert instants(store) == [ON + 3 * HOUR]


def test_dst_14_a_time_that_moves_later_is_not_fired_at_the_old_time(
    store: Store, clock: Clock, release: Release
) -> None:
    """Nobody has reckoned anew: the look that the old time asks for does."""
    given_daily(store, release("2026a", THREE_HOURS))
    newer = release("2026b", TWO_HOURS)

    clock.advance(3 * HOUR)
    early = fire_some(store, tables=newer)
    clock.advance(HOUR)
    fire_some(store, tables=newer)

    assert (early.looked, early.runs) == (1, 0)
    assert instants(store) == [ON + 4 * HOUR]


def test_mf_01_what_is_caught_up_uses_the_count_and_what_is_missed_does_not(
    store: Store, clock: Clock
) -> None:
    """So many runs were asked for, so many are made; the end moves."""
    given_schedule(store, "1h", count=3, catchup="last")
    clock.advance(5 * HOUR + 30 * MINUTE)
    fire_some(store)
    for _ in range(4):
        clock.advance(HOUR)
        fire_some(store)

    view = show(store)
    assert instants(store) == [ON + n * HOUR for n in (5, 6, 7)]
    assert (view.state, view.fired, view.missed) == ("ended", 3, 4)


@pytest.mark.parametrize(("catchup", "found"), [("last", [0]), ("none", [])])
def test_mf_02_a_day_off_is_never_missed_but_may_be_the_day_on_which_one_catches_up(
    store: Store, clock: Clock, catchup: str, found: list[int]
) -> None:
    off = tuple(to_datetime(ON + n * DAY).date().isoformat() for n in (1, 2))
    store.write(lambda tx: put_calendar(tx, "shop", Calendar(weekend=(), off=off), namespace=HOME))
    given_job(store)
    cron = Cron(expression="0 6 * * *")
    put(store, Schedule(trigger=cron, calendar="shop", catchup=catchup))  # type: ignore[arg-type]
    clock.advance(2 * DAY + 12 * HOUR)

    fire_some(store)

    view = show(store)
    assert instants(store) == [ON + n * DAY + 6 * HOUR for n in found]
    assert (view.missed, next_ms(view)) == (1 - len(found), ON + 3 * DAY + 6 * HOUR)


def test_mf_03_catching_up_moves_neither_the_start_nor_the_phase(
    store: Store, clock: Clock
) -> None:
    given_job(store)
    anchor = to_datetime(ON + 10 * MINUTE).isoformat()
    put(store, Schedule(trigger=Every(every="1h", anchor=anchor)))
    clock.advance(5 * HOUR + 37 * MINUTE)

    fire_some(store)

    (run,) = runs_of(store)
    assert origin_of(run).scheduled_for == ON + 5 * HOUR + 10 * MINUTE
    assert next_ms(show(store)) == ON + 6 * HOUR + 10 * MINUTE


def overlapped(store: Store, clock: Clock, worker: str, overlap: str) -> None:
    """One that runs for two and a half minutes, of a schedule of every minute."""
    given_schedule(store, "1m", overlap=overlap)
    for _ in range(3):
        clock.advance(MINUTE)
        fire_some(store)
    clock.advance(MINUTE // 2)
    end_one(store, worker)
    fire_some(store)


def test_ov_01_skip_is_a_pure_skip(store: Store, clock: Clock, worker: str) -> None:
    overlapped(store, clock, worker, "skip")

    assert [each.decision for each in fired(store)] == ["started", "skipped", "skipped"]
    assert states_of(store) == [State.SUCCESS]


def test_ov_01_with_newest_the_latest_unmet_time_starts_when_the_run_ends(
    store: Store, clock: Clock, worker: str
) -> None:
    overlapped(store, clock, worker, "newest")

    assert states_of(store) == [State.SUCCESS, State.SKIPPED, State.QUEUED]
    assert origin_of(runs_of(store)[-1]).scheduled_for == ON + 3 * MINUTE


def test_ov_02_the_new_one_does_not_start_before_the_old_one_is_gone(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1m", overlap="cancel_old")
    clock.advance(MINUTE)
    fire_some(store)
    (lease,) = claim_some(store, worker)
    for _ in range(3):
        clock.advance(MINUTE)
        fire_some(store)
    meanwhile = claim_some(store, worker)

    finish_with(store, lease, "abort", kind="cancelled", fired=True)
    fire_some(store)

    assert meanwhile == []
    assert [each.run_id for each in claim_some(store, worker)] == [runs_of(store)[-1].id]


def test_ov_03_a_time_that_passed_meanwhile_starts_right_after_the_end(
    store: Store, clock: Clock, worker: str
) -> None:
    overlapped(store, clock, worker, "queue_one")

    assert states_of(store) == [State.SUCCESS, State.QUEUED]
    assert origin_of(runs_of(store)[-1]).scheduled_for == ON + 2 * MINUTE


def test_ov_03_with_skip_the_next_start_is_the_next_time(
    store: Store, clock: Clock, worker: str
) -> None:
    """As with DeferReactivation of systemd."""
    overlapped(store, clock, worker, "skip")

    clock.advance(MINUTE // 2)
    fire_some(store)

    assert instants(store) == [ON + MINUTE, ON + 4 * MINUTE]


@pytest.mark.parametrize("order", [1, -1])
def test_ad_03_another_kind_of_trigger_skips_no_run_and_repeats_none(
    store: Store, clock: Clock, order: int
) -> None:
    """There is one kind of time: a run starts at the end of its interval, whatever the rule."""
    kinds = [every("1h"), Schedule(trigger=Cron(expression="0 * * * *"))]
    first, second = kinds[::order]
    given_job(store)
    put(store, first)
    for _ in range(2):
        clock.advance(HOUR)
        fire_some(store)

    clock.advance(HOUR // 2)
    put(store, second)
    clock.advance(HOUR // 2)
    fire_some(store)

    assert instants(store) == [ON + n * HOUR for n in (1, 2, 3)]
    assert origin_of(runs_of(store)[-1]).interval_start == ON + 2 * HOUR


def test_ad_05_with_depends_on_past_the_first_is_free_and_skipped_is_fine(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a")], depends_on_past=True))
    first, second, third = (flow.start() for _ in range(3))
    assert flow.running(first) == {"a"}

    skip = Verdict(run_id=second, fence=look(store, second).fence, verb="skip")
    store.write(lambda tx: finish(tx, [skip], namespace=HOME))
    flow.end(first, "a")

    assert look(store, second).state is State.SKIPPED
    assert flow.running(third) == {"a"}


@pytest.mark.parametrize("way", ["succeeded", "cancelled"])
def test_ad_05_with_strict_order_only_a_failure_holds_the_next(
    store: Store, clock: Clock, worker: str, way: str
) -> None:
    given_schedule(store, "1m", overlap="strict")
    for _ in range(2):
        clock.advance(MINUTE)
        fire_some(store)
    first, second = (run.id for run in runs_of(store))
    assert states_of(store) == [State.QUEUED, State.PENDING]

    if way == "succeeded":
        end_one(store, worker)
    else:
        cancel_run(store, first)
    fire_some(store)

    assert look(store, second).state is State.QUEUED
