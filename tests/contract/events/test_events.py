"""Events: every schedule that listens starts, once, under the policies that time has too."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rota.clock import to_datetime
from rota.engine.admission.windows import put_blackout
from rota.engine.events import send
from rota.engine.prune import DAY_MS, Retention, prune
from rota.engine.schedules import definitions as schedules
from rota.errors import BadInput, DuplicateKey
from rota.ids import new_id
from rota.model.events.event import Event, Sent
from rota.model.schedules.definitions import AnyOf, Blackout, Calendar, Every, OnEvent, Schedule
from rota.model.states import State
from rota.rules.schedules.options import read_schedule
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, Clock, claim_some, look, run_sql
from tests.contract.schedules.backfill_builders import begin
from tests.contract.schedules.builders import (
    HOUR,
    MINUTE,
    NAME,
    TABLES,
    end_one,
    fire_some,
    fired,
    given_job,
    next_ms,
    origin_of,
    put,
    runs_of,
    show,
    states_of,
    trigger_now,
)

CLOSED = "orders.closed"
PARAMETERS = {"order": "int", "note": "str"}


def on_event(**policies: Any) -> Schedule:
    return Schedule(trigger=OnEvent(event=CLOSED), **policies)


def given_listener(store: Store, *, name: str = NAME, **policies: Any) -> None:
    given_job(store, parameters=PARAMETERS)
    put(store, on_event(**policies), name=name)


def tell(store: Store, payload: Any = None, *, name: str = CLOSED, **facts: Any) -> Sent:
    event = Event(**{"id": new_id(), "name": name, "payload": json.dumps(payload), **facts})
    return store.write(
        lambda tx: send(tx, event, namespace=HOME, sent_by="test", compiled=TABLES, new_id=new_id)
    )


def decisions(sent: Sent) -> list[str]:
    return [each.decision for each in sent.heard]


def test_everyone_who_listens_starts_and_nobody_else(store: Store, clock: Clock) -> None:
    given_listener(store, name="bill")
    given_listener(store, name="ship")
    put(store, Schedule(trigger=OnEvent(event="orders.opened")), name="other")

    sent = tell(store, {"order": 7})

    assert {each.schedule: each.decision for each in sent.heard} == {
        "bill": "started", "ship": "started"
    }  # fmt: skip
    assert [len(fired(store, name)) for name in ("bill", "ship", "other")] == [1, 1, 0]
    (run,) = runs_of(store, "ship")
    origin = origin_of(run)
    assert (run.state, origin.kind, origin.scheduled_for) == (State.QUEUED, "event", clock.ms)


def test_an_event_without_a_listener_is_kept_and_starts_nothing(store: Store) -> None:
    assert tell(store).heard == ()
    assert run_sql(store.url, "select name from rota.event") == [(CLOSED,)]


def test_fields_that_are_parameters_become_arguments(store: Store) -> None:
    given_listener(store, args={"note": "default", "order": 1})

    tell(store, {"order": 7, "unknown": True})
    tell(store, [1, 2])

    first, second = (json.loads(run.args) for run in runs_of(store))
    assert first == {"order": 7, "note": "default"}
    assert second == {"order": 1, "note": "default"}


def test_a_parameter_named_event_gets_all_of_it(store: Store) -> None:
    given_job(store, parameters={"event": "dict"})
    put(store, on_event())

    sent = tell(store, [1, 2], key="k")

    (run,) = runs_of(store)
    whole = {"id": sent.id, "name": CLOSED, "key": "k", "payload": [1, 2]}
    assert json.loads(run.args) == {"event": whole}


def test_the_same_key_is_one_event(store: Store) -> None:
    given_listener(store)

    first = tell(store, {"order": 7}, key="order-7")
    again = tell(store, {"order": 7}, key="order-7")
    other = tell(store, {"order": 8}, key="order-8")

    assert (again.id, again.is_new, again.heard) == (first.id, False, first.heard)
    assert other.is_new
    assert len(runs_of(store)) == 2


def test_a_key_with_other_contents_is_refused(store: Store) -> None:
    given_listener(store)
    tell(store, {"order": 7}, key="order-7")

    with pytest.raises(DuplicateKey, match="which has other contents"):
        tell(store, {"order": 8}, key="order-7")
    assert len(runs_of(store)) == 1


def test_an_event_whose_commit_was_in_doubt_is_sent_again_by_its_id(store: Store) -> None:
    given_listener(store)
    event_id = new_id()

    first, again = (tell(store, id=event_id) for _ in range(2))

    assert (again.heard, again.is_new, len(runs_of(store))) == (first.heard, True, 1)


def test_the_same_key_from_many_at_once_starts_once(store: Store) -> None:
    given_listener(store)

    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(lambda _: tell(store, {"order": 7}, key="k"), range(16)))

    assert sum(each.is_new for each in sent) == 1
    assert len({each.id for each in sent}) == len(runs_of(store)) == 1


def test_the_overlap_policy_counts(store: Store, worker: str) -> None:
    given_listener(store, overlap="queue_one")

    found = [decisions(tell(store))[0] for _ in range(3)]
    end_one(store, worker)
    fire_some(store)

    assert found == ["started", "waits", "dropped"]
    assert states_of(store)[:2] == [State.SUCCESS, State.QUEUED]
    view = show(store)
    assert (view.state, next_ms(view), view.fired, view.skipped) == ("active", None, 2, 1)


def test_with_cancel_old_the_running_one_is_asked_to_stop(store: Store, worker: str) -> None:
    given_listener(store, overlap="cancel_old")
    tell(store)
    (lease,) = claim_some(store, worker)

    assert decisions(tell(store)) == ["waits"]
    assert look(store, lease.run_id).cancel_requested


def test_a_start_by_hand_is_a_start_as_well(store: Store) -> None:
    given_listener(store, overlap="skip")

    assert trigger_now(store, args='{"order":1}').decision == "started"
    assert decisions(tell(store)) == ["skipped"]


def test_one_that_is_paused_hears_nothing_and_says_so(store: Store) -> None:
    given_listener(store)
    store.write(lambda tx: schedules.pause(tx, NAME, namespace=HOME, who="anna"))
    sent = tell(store)
    store.write(lambda tx: schedules.resume(tx, NAME, namespace=HOME, who="anna"))
    fire_some(store)

    assert (sent.heard, show(store).missed, show(store).state) == ((), 1, "active")
    assert decisions(tell(store)) == ["started"]


def test_an_event_schedule_stops_at_its_count(store: Store) -> None:
    given_listener(store, count=2)

    heard = [len(tell(store).heard) for _ in range(3)]

    assert (heard, show(store).state) == ([1, 1, 0], "ended")


def test_bounds_count(store: Store, clock: Clock) -> None:
    start = to_datetime(START_MS + HOUR).isoformat()
    end = to_datetime(START_MS + 2 * HOUR).isoformat()
    given_listener(store, start=start, end=end)

    heard = []
    for _ in range(3):
        heard.append(len(tell(store).heard))
        clock.advance(HOUR + MINUTE - 1)

    assert heard == [0, 1, 0]


@pytest.mark.parametrize(("kind", "found"), [("skip", "blackout"), ("defer", "started")])
def test_maintenance_windows_count(store: Store, clock: Clock, kind: str, found: str) -> None:
    given_listener(store)
    window = Blackout(
        kind=kind,  # type: ignore[arg-type]
        start=to_datetime(START_MS - HOUR).isoformat(),
        end=to_datetime(START_MS + HOUR).isoformat(),
    )
    store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))

    assert decisions(tell(store)) == [found]
    assert states_of(store) == ([State.SCHEDULED] if kind == "defer" else [])


def test_one_that_cannot_be_read_goes_to_error_and_the_others_start(store: Store) -> None:
    given_listener(store, name="good")
    given_listener(store, name="bad")
    run_sql(store.url, "update rota.schedule set spec = 'x' where name = 'bad'")

    assert [each.schedule for each in tell(store).heard] == ["good"]
    assert (show(store, "bad").state, show(store, "good").state) == ("error", "active")


def test_a_schedule_may_change_from_time_to_event_and_back(store: Store, clock: Clock) -> None:
    given_job(store, parameters=PARAMETERS)
    put(store, Schedule(trigger=Every(every="1m")))
    put(store, on_event())
    clock.advance(HOUR)
    assert fire_some(store).runs == 0
    assert decisions(tell(store)) == ["started"]

    put(store, Schedule(trigger=Every(every="1m")))

    assert tell(store).heard == ()
    clock.advance(MINUTE)
    assert fire_some(store).runs == 1


def test_there_is_no_past_to_fill(store: Store) -> None:
    given_listener(store)

    with pytest.raises(BadInput, match="send the event again"):
        begin(store)


@pytest.mark.parametrize(
    ("trigger", "policies", "said"),
    [
        (OnEvent(event="two words"), {}, "not a name for an event"),
        (AnyOf(triggers=(OnEvent(event="a"), Every(every="1h"))), {}, "make two schedules"),
        (OnEvent(event="a"), {"calendar": Calendar(country="FR")}, "cannot have a calendar"),
        ({"event": 7}, {}, "not a name for an event"),
        ("@event", {}, "not a name for an event"),
    ],
)
def test_a_bad_event_is_refused(trigger: Any, policies: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_schedule(trigger, policies)


def test_events_are_forgotten_with_the_runs_that_failed(store: Store, clock: Clock) -> None:
    tell(store)
    clock.advance(31 * DAY_MS)

    store.write(lambda tx: prune(tx, Retention(), limit=100))

    assert run_sql(store.url, "select count(*) from rota.event") == [(0,)]
