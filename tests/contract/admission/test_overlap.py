"""Overlap on a real store: who starts, waits, is given up, and who is looked at when one ends."""

from __future__ import annotations

import pytest

from rota.clock import moment
from rota.engine.insight.why import why
from rota.engine.runs.expire import expire
from rota.engine.runs.rerun import rerun
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.stale import wake_waiting
from rota.engine.wakeup_keys import LOOK
from rota.ids import new_id
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    START_MS,
    Clock,
    cancel_run,
    claim_some,
    finish_with,
    given_worker,
    look,
    reap_some,
    run_sql,
    state_of,
)
from tests.contract.schedules.builders import (
    DAY,
    MINUTE,
    SECOND,
    end_one,
    every,
    fire_some,
    fired,
    given_schedule,
    put,
    runs_of,
    show,
    states_of,
    trigger_now,
)

ON = START_MS // DAY * DAY
PENDING, QUEUED, RUNNING = State.PENDING, State.QUEUED, State.RUNNING


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def fire_minutes(store: Store, clock: Clock, count: int) -> None:
    for _ in range(count):
        clock.advance(MINUTE)
        fire_some(store)


def decisions(store: Store) -> list[str]:
    return [each.decision for each in fired(store)]


def test_allow_starts_each(store: Store, clock: Clock) -> None:
    given_schedule(store, overlap="allow")

    fire_minutes(store, clock, 3)

    assert states_of(store) == [QUEUED] * 3


def test_skip_leaves_out_what_would_overlap(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="skip")
    fire_minutes(store, clock, 3)
    end_one(store, worker)

    fire_minutes(store, clock, 1)

    assert decisions(store) == ["started", "skipped", "skipped", "started"]
    assert show(store).skipped == 2


def test_bounded_parallel_counts_what_has_not_ended(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, overlap="skip", parallel=2)
    fire_minutes(store, clock, 1)
    claim_some(store, worker)

    fire_minutes(store, clock, 2)

    assert decisions(store) == ["started", "started", "skipped"]
    assert states_of(store) == [RUNNING, QUEUED]


def test_queue_one_starts_the_first_that_waited(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="queue_one")
    fire_minutes(store, clock, 3)
    assert decisions(store) == ["started", "waits", "dropped"]
    assert states_of(store) == [QUEUED, PENDING]

    end_one(store, worker)
    fire_some(store)

    assert states_of(store) == [State.SUCCESS, QUEUED]


def test_queue_all_goes_in_order_one_at_a_time(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="queue_all", backlog=2)
    fire_minutes(store, clock, 4)
    assert decisions(store) == ["started", "waits", "waits", "dropped"]

    order = []
    for _ in range(3):
        order.append(end_one(store, worker))
        fire_some(store)

    assert order == [run.id for run in runs_of(store)]
    assert show(store).running == show(store).waiting == 0


def test_several_missed_ones_wait_in_the_order_of_their_instants(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, overlap="queue_all", catchup="all")
    clock.advance(5 * MINUTE)
    fire_some(store)

    order = []
    for _ in range(5):
        order.append(end_one(store, worker))
        fire_some(store)

    assert order == [run.id for run in runs_of(store)]


def test_newest_replaces_the_one_that_waits(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="newest")
    fire_minutes(store, clock, 3)

    assert states_of(store) == [QUEUED, State.SKIPPED, PENDING]
    assert "newer" in (runs_of(store)[1].reason or "")
    end_one(store, worker)
    fire_some(store)
    assert states_of(store) == [State.SUCCESS, State.SKIPPED, QUEUED]
    view = show(store)
    assert (view.fired, view.skipped) == (2, 1)


def test_cancel_old_asks_the_running_one_and_waits_until_it_has_ended(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, overlap="cancel_old")
    fire_minutes(store, clock, 1)
    (lease,) = claim_some(store, worker)
    fire_minutes(store, clock, 2)
    old, replaced, new = runs_of(store)
    assert (old.state, old.cancel_requested) == (RUNNING, True)
    assert (replaced.state, new.state) == (State.SKIPPED, PENDING)

    finish_with(store, lease, "abort", kind="cancelled", fired=True)
    fire_some(store)

    assert states_of(store) == [State.CANCELLED, State.SKIPPED, QUEUED]


def test_cancel_old_ends_one_that_nobody_has_claimed_at_once(store: Store, clock: Clock) -> None:
    given_schedule(store, overlap="cancel_old")
    fire_minutes(store, clock, 2)

    fire_some(store)

    assert states_of(store) == [State.CANCELLED, QUEUED]


def test_strict_stops_after_a_failure_until_a_rerun_succeeds(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, overlap="strict")
    fire_minutes(store, clock, 3)
    failed = end_one(store, worker, "fail")
    fire_some(store)
    assert states_of(store) == [State.FAILED, PENDING, PENDING]
    assert show(store).blocked_by == failed

    again = new_id()
    store.write(lambda tx: rerun(tx, failed, namespace=HOME, new_id=again, who="ann"))
    assert end_one(store, worker) == again
    fire_some(store)

    assert show(store).blocked_by is None
    assert states_of(store) == [State.SUCCESS, QUEUED, PENDING], "the rerun mended its instant"


def test_strict_goes_on_when_a_person_says_so(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="strict")
    fire_minutes(store, clock, 2)
    end_one(store, worker, "fail")
    fire_some(store)

    store.write(lambda tx: schedules.unblock(tx, "s", namespace=HOME, who="anna"))
    fire_some(store)

    assert states_of(store) == [State.FAILED, QUEUED]


def test_a_cancelled_start_does_not_wait_any_more(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="queue_all")
    fire_minutes(store, clock, 3)
    first, second, third = runs_of(store)

    assert cancel_run(store, second.id) is State.CANCELLED
    end_one(store, worker)
    fire_some(store)

    assert [state_of(store, run.id) for run in (first, second, third)] == [
        State.SUCCESS,
        State.CANCELLED,
        QUEUED,
    ]


@pytest.mark.parametrize("way", ["succeed", "fail", "abort", "cancel", "expire", "reap"])
def test_every_way_to_end_wakes_the_schedule(
    store: Store, clock: Clock, worker: str, way: str
) -> None:
    given_schedule(store, overlap="queue_all", start_within="90s" if way == "expire" else None)
    fire_minutes(store, clock, 1)
    first = runs_of(store)[0].id
    fire_minutes(store, clock, 1)
    woken: set[str] = set()
    watch = store.watch(woken.add)
    if way in ("succeed", "fail", "abort"):
        end_one(store, worker, way)
    elif way == "cancel":
        cancel_run(store, first)
    elif way == "expire":
        clock.advance(31 * SECOND)
        assert store.write(lambda tx: expire(tx, limit=10)) == 1
    else:
        run_sql(store.url, "update rota.run set at_most_once = true where state = 'queued'")
        gone = given_worker(store)
        claim_some(store, gone)
        reap_some(store, worker_id=gone)
    watch.close()

    assert LOOK in woken
    fire_some(store)
    assert runs_of(store)[1].state == QUEUED


def test_a_retry_does_not_free_the_place(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="queue_all")
    fire_minutes(store, clock, 2)
    (lease,) = claim_some(store, worker)

    finish_with(store, lease, "retry", kind="error", delay_ms=SECOND, fired=True)
    fire_some(store)

    assert states_of(store) == [State.SCHEDULED, PENDING]


def test_one_that_waited_too_long_is_given_up_when_its_turn_comes(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, overlap="queue_all", start_within="2m")
    fire_minutes(store, clock, 1)
    (lease,) = claim_some(store, worker)
    fire_minutes(store, clock, 4)

    finish_with(store, lease, fired=True)
    fire_some(store)

    assert states_of(store)[:3] == [State.SUCCESS, State.SKIPPED, State.SKIPPED]
    assert states_of(store)[3] == QUEUED


def test_a_start_by_hand_obeys_the_policy_and_is_made_once(store: Store, clock: Clock) -> None:
    given_schedule(store, overlap="queue_one")
    request = new_id()

    first = trigger_now(store, request=request, args='{"n":2}')
    again = trigger_now(store, request=request, args='{"n":2}')
    second = trigger_now(store)
    third = trigger_now(store)

    assert (first.decision, second.decision, third.decision) == ("started", "waits", "dropped")
    assert (again.run_id, again.is_new) == (first.run_id, False)
    assert look(store, first.run_id or "").args == '{"n":2}'
    assert show(store).fired == 2


def test_a_start_by_hand_works_while_the_schedule_is_paused(store: Store, clock: Clock) -> None:
    given_schedule(store)
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna"))

    assert trigger_now(store).decision == "started"


OVERLAPS = ["queue_one", "queue_all", "newest", "strict"]


@pytest.mark.parametrize("overlap", OVERLAPS)
def test_a_paused_schedule_starts_nothing_of_what_waits_until_it_is_resumed(
    store: Store, clock: Clock, worker: str, overlap: str
) -> None:
    given_schedule(store, overlap=overlap)
    fire_minutes(store, clock, 2)
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna", note="moving"))
    end_one(store, worker)

    fire_some(store)
    store.write(wake_waiting)
    fire_some(store)
    held = states_of(store)
    says = why_of(store)
    store.write(lambda tx: schedules.resume(tx, "s", namespace=HOME, who="anna"))
    fire_some(store)

    assert held == [State.SUCCESS, PENDING]
    assert says == "schedule s is paused: moving; resume it"
    assert states_of(store)[1] == QUEUED


def test_a_schedule_that_paused_itself_starts_nothing_of_what_waits(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, overlap="queue_all", pause_after=1)
    fire_minutes(store, clock, 3)
    end_one(store, worker, "fail")
    fire_some(store)

    assert show(store).state == "paused"
    assert (show(store).running, show(store).waiting) == (0, 2)
    assert states_of(store) == [State.FAILED, PENDING, PENDING]


def test_a_start_by_hand_goes_past_those_that_a_pause_holds(
    store: Store, clock: Clock, worker: str
) -> None:
    """Also one that has to wait for its place first."""
    given_schedule(store, overlap="queue_all")
    fire_minutes(store, clock, 2)
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna"))
    waits = trigger_now(store, request="a")
    end_one(store, worker)
    fire_some(store)

    assert waits.decision == "waits"
    assert sorted(states_of(store)) == sorted([State.SUCCESS, PENDING, QUEUED])
    assert state_of(store, str(waits.run_id)) == QUEUED
    assert (show(store).running, show(store).waiting) == (1, 1)


def test_a_run_that_a_pause_holds_for_too_long_is_given_up(store: Store, clock: Clock) -> None:
    given_schedule(store, overlap="queue_one", start_within="5m")
    fire_minutes(store, clock, 2)
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna"))
    clock.advance(10 * MINUTE)
    store.write(wake_waiting)
    fire_some(store)

    assert states_of(store)[1] == State.SKIPPED


def why_of(store: Store) -> str:
    """What the newest run of the schedule waits for."""
    run = runs_of(store)[-1]
    return store.read(lambda tx: why(tx, run.id, namespace=HOME))[0].says


def test_one_that_waits_says_why(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, overlap="strict")
    fire_minutes(store, clock, 2)
    waiting = runs_of(store)[1].id

    before = store.read(lambda tx: why(tx, waiting, namespace=HOME))
    failed = end_one(store, worker, "fail")
    after = store.read(lambda tx: why(tx, waiting, namespace=HOME))

    assert [each.says for each in before] == [
        "it waits until other runs of schedule s have ended: 1 now"
    ]
    assert failed in after[0].says


def test_a_changed_policy_counts_for_starts_that_wait(store: Store, clock: Clock) -> None:
    given_schedule(store, overlap="queue_all")
    fire_minutes(store, clock, 3)

    put(store, every("1m", overlap="allow"))
    clock.advance(MINUTE)
    fire_some(store)

    assert states_of(store) == [QUEUED] * 4


def test_failures_in_a_row_pause_the_schedule(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, pause_after=2)
    for verb in ("fail", "succeed", "fail", "fail"):
        fire_minutes(store, clock, 1)
        end_one(store, worker, verb)

    view = show(store)
    assert (view.state, view.failures, view.changed_by) == ("paused", 2, "rota")
    assert "2 runs in a row failed" in (view.note or "")
    fire_minutes(store, clock, 2)
    assert len(runs_of(store)) == 4


def test_a_verdict_that_is_sent_twice_counts_once(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, pause_after=5)
    fire_minutes(store, clock, 1)
    (lease,) = claim_some(store, worker)

    for _ in range(2):
        finish_with(store, lease, "fail", kind="error", fired=True)

    assert show(store).failures == 1


def test_the_last_success_is_kept(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store)
    fire_minutes(store, clock, 1)
    good = end_one(store, worker)
    at = clock.ms
    fire_minutes(store, clock, 1)
    bad = end_one(store, worker, "fail")

    view = show(store)
    assert (view.last_success, view.last_success_at) == (good, moment(at))
    assert (view.last_run, view.last_state) == (bad, "failed")
