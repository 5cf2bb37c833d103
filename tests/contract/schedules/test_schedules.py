"""Schedules on record: put, replace, pause, resume, remove, show."""

from __future__ import annotations

import pytest

from rota.engine.schedules import definitions as schedules
from rota.engine.schedules import views as schedule_views
from rota.engine.schedules.stale import FIRST, find_stale, look_again
from rota.errors import BadDuration, NotAllowed, UnknownSchedule
from rota.model.schedules.definitions import Every, Schedule
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, Clock, run_sql, state_of
from tests.contract.schedules.builders import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    every,
    fire_some,
    given_job,
    given_schedule,
    instants,
    next_ms,
    put,
    runs_of,
    show,
    trigger_now,
)

ON = START_MS // DAY * DAY


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def pause(store: Store, note: str | None = None) -> None:
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna", note=note))


def resume(store: Store) -> None:
    store.write(lambda tx: schedules.resume(tx, "s", namespace=HOME, who="anna"))


def test_a_new_schedule_shows_its_next_instant(store: Store, clock: Clock) -> None:
    given_job(store)
    clock.advance(SECOND)

    view = put(store, every("1m", args={"n": 1}))

    assert (view.state, next_ms(view), view.revision, view.origin) == (
        "active",
        ON + MINUTE,
        1,
        "code",
    )
    assert view.schedule == every("1m", args={"n": 1})


def test_the_same_again_changes_nothing(store: Store, clock: Clock) -> None:
    first = put(store, every("1m"))
    clock.advance(SECOND)

    assert put(store, every("1m")) == first


def test_a_schedule_that_makes_no_sense_is_not_stored(store: Store) -> None:
    with pytest.raises(BadDuration):
        put(store, every("soon"))

    assert run_sql(store.url, "select count(*) from rota.schedule") == [(0,)]


def test_other_policies_leave_the_next_instant_alone(store: Store, clock: Clock) -> None:
    before = put(store, every("1h"))
    clock.advance(HOUR)

    after = put(store, every("1h", overlap="skip"))

    assert (after.revision, next_ms(after), after.id) == (2, next_ms(before), before.id)
    assert fire_some(store).runs == 0  # no job yet: the look said so
    assert show(store).state == "error"


def test_another_trigger_counts_from_now_on(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    clock.advance(90 * MINUTE)

    view = put(store, every("20m"))
    fire_some(store)

    assert next_ms(view) == ON + 100 * MINUTE
    assert instants(store) == []


def test_a_schedule_never_fires_for_the_time_before_it_was_made(store: Store, clock: Clock) -> None:
    clock.advance(10 * DAY + 1)
    given_schedule(store, "1h", catchup="all")

    assert fire_some(store).looked == 0


def test_a_start_in_the_past_asks_for_what_was_missed(store: Store, clock: Clock) -> None:
    clock.advance(6 * HOUR)
    given_job(store)
    at = "2027-01-14T23:30:00Z"
    put(store, Schedule(trigger=Every(every="1d"), start=at))

    fire_some(store)

    assert instants(store) == [ON]


def test_a_pause_holds_time_and_a_resume_catches_up_by_the_rule(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", catchup="last")
    pause(store, "fixing the door")
    clock.advance(30 * MINUTE + 30 * SECOND)
    assert (fire_some(store).looked, next_ms(show(store))) == (0, None)
    assert (show(store).note, show(store).changed_by) == ("fixing the door", "anna")

    resume(store)
    fire_some(store)

    assert instants(store) == [ON + 30 * MINUTE]
    assert (show(store).missed, next_ms(show(store))) == (29, ON + 31 * MINUTE)


def test_one_that_has_ended_cannot_be_resumed(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=1)
    clock.advance(MINUTE)
    fire_some(store)

    with pytest.raises(NotAllowed, match="has ended"):
        resume(store)


def test_a_short_pause_is_not_on_time_either(store: Store, clock: Clock) -> None:
    given_schedule(store, "1s", catchup="none")
    pause(store)
    clock.advance(10 * SECOND)
    resume(store)

    fire_some(store)

    assert (instants(store), show(store).missed) == ([], 10)


def test_a_pause_by_a_person_outlives_a_new_definition(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    pause(store)

    view = put(store, every("2m"))

    assert view.state == "paused"
    clock.advance(HOUR)
    assert fire_some(store).looked == 0


def test_a_definition_may_be_paused_and_freed(store: Store, clock: Clock) -> None:
    given_job(store)
    assert put(store, every("1m", is_paused=True)).state == "paused"

    view = put(store, every("1m"))

    assert (view.state, next_ms(view)) == ("active", ON + MINUTE)


def test_one_that_has_ended_cannot_be_paused(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=1)
    clock.advance(MINUTE)
    fire_some(store)

    with pytest.raises(NotAllowed, match="ended"):
        pause(store)


def test_removing_skips_what_waits_and_leaves_what_runs(store: Store, clock: Clock) -> None:
    given_schedule(store, overlap="queue_all")
    trigger_now(store)
    clock.advance(1)
    trigger_now(store)
    first, second = (run.id for run in runs_of(store))

    store.write(lambda tx: schedules.remove(tx, "s", namespace=HOME))

    assert (state_of(store, first), state_of(store, second)) == (State.QUEUED, State.SKIPPED)
    with pytest.raises(UnknownSchedule, match="'s'"):
        show(store)


@pytest.mark.parametrize("verb", ["remove", "pause", "resume", "unblock"])
def test_verbs_on_nothing_say_so(store: Store, verb: str) -> None:
    who = {} if verb == "remove" else {"who": "anna"}

    with pytest.raises(UnknownSchedule):
        store.write(lambda tx: getattr(schedules, verb)(tx, "none", namespace=HOME, **who))


def test_the_list_is_by_name_in_pages_with_filters(store: Store) -> None:
    for name in "cab":
        put(store, every("1m"), name=name, job="other" if name == "c" else "noop")

    def names(**wanted: str | int) -> list[str]:
        rows = store.read(
            lambda tx: schedule_views.schedules(tx, namespace=HOME, **wanted)  # type: ignore[arg-type]
        )
        return [row.name for row in rows]

    assert names() == ["a", "b", "c"]
    assert names(after="a", limit=1) == ["b"]
    assert names(job="other") == ["c"]
    assert names(state="paused") == []


def test_a_row_that_cannot_be_read_is_shown_all_the_same(store: Store) -> None:
    put(store, every("1m"))
    run_sql(store.url, "update rota.schedule set spec = 'x'")

    assert show(store).schedule is None


def test_stale_rules_are_found_page_by_page(store: Store) -> None:
    given_job(store)
    ids = sorted(put(store, every("1m"), name=f"s{n}").id for n in range(7))
    for schedule_id, version in ((ids[1], "old"), (ids[3], "test#2"), (ids[6], "testing")):
        run_sql(
            store.url,
            f"update rota.schedule set rules_version = '{version}' where id = '{schedule_id}'",
        )

    pages = []
    after: str | None = FIRST
    while after is not None:
        stale, after = store.read(
            lambda tx, after=after: find_stale(tx, rules_version="test", after=after, limit=3)  # type: ignore[misc]
        )
        pages.append(stale)

    assert pages == [[ids[1]], [], [ids[6]]]


def test_a_stale_schedule_is_computed_again(store: Store, clock: Clock) -> None:
    stale, fresh = (put(store, every("1h"), name=name) for name in ("a", "b"))

    store.write(lambda tx: look_again(tx, [stale.id]))

    found = dict(run_sql(store.url, "select name, look_at from rota.schedule"))
    assert (found["a"], found["b"]) == (clock.ms, next_ms(fresh))
