"""Breakers by hand, what people see of them, and the outbox of alerts."""

from __future__ import annotations

import pytest

from rota.engine.admission.queues import queues
from rota.engine.alerts import outbox
from rota.engine.failures.breakers.control import close_breaker, held_jobs, open_breaker
from rota.engine.identity.audit_log import acts
from rota.engine.jobs.definitions import jobs
from rota.engine.prune import Retention, prune
from rota.engine.wakeup_keys import queue_key
from rota.errors import UnknownJob
from rota.operations.failures import breakers as operations
from rota.store.base import Store
from tests.contract.backends import backend_of
from tests.contract.builders import HOME, Clock, claim_some, given_lease, given_run
from tests.contract.failures.breaker_builders import (
    COOL_MS,
    alerts,
    attempts,
    end,
    given_job,
    given_open,
    given_probe,
    tend_all,
    told,
    view,
    views,
)


def open_it(store: Store, note: str | None = None) -> None:
    store.write(lambda tx: open_breaker(tx, "noop", namespace=HOME, note=note))


def close_it(store: Store) -> bool:
    return store.write(lambda tx: close_breaker(tx, "noop", namespace=HOME))


def test_a_job_without_a_rule_can_be_held_back_and_let_go(
    store: Store, worker: str, clock: Clock
) -> None:
    given_job(store, None)
    runs = [given_run(store) for _ in range(3)]

    open_it(store, "the bank is down")
    clock.advance(86_400_000)
    while_open = (tend_all(store), claim_some(store, worker), view(store))
    closed = close_it(store)

    assert while_open[:2] == (0, [])
    assert (while_open[2].state, while_open[2].note, while_open[2].held) == (
        "open",
        "the bank is down",
        3,
    )
    assert closed
    assert views(store) == []
    assert [lease.run_id for lease in claim_some(store, worker)] == runs


def test_acts_by_hand_are_told(store: Store) -> None:
    given_job(store, None)

    open_it(store, "why")
    close_it(store)
    again = close_it(store)

    assert not again
    assert told(store) == [
        ("breaker.opened", {"job": "noop", "by": "hand", "stays": True, "note": "why"}),
        ("breaker.closed", {"job": "noop", "by": "hand"}),
    ]


@pytest.mark.parametrize("act", [open_breaker, close_breaker])
def test_an_unknown_job_is_refused_with_the_nearest(store: Store, act: object) -> None:
    given_job(store)

    with pytest.raises(UnknownJob, match="Did you mean 'noop'"):
        store.write(lambda tx: act(tx, "nop", namespace=HOME))  # type: ignore[operator]


def test_a_hold_by_hand_survives_a_version_without_a_breaker(store: Store, worker: str) -> None:
    given_job(store)
    open_it(store)

    given_job(store, None)
    given_run(store)

    assert claim_some(store, worker) == []


def test_one_that_opened_by_itself_can_be_closed_or_made_to_stay(
    store: Store, worker: str, clock: Clock
) -> None:
    given_open(store, worker)
    since = view(store).opened_at
    clock.advance(5)

    open_it(store, "wait for the fix")
    staying = view(store)
    clock.advance(COOL_MS)
    tended = tend_all(store)
    close_it(store)
    attempts(store, worker, bad=3)

    assert (staying.stays, staying.opened_at, tended) == (True, since, 0)
    assert view(store).state == "closed"


def test_a_probe_that_ends_after_a_person_has_spoken_changes_nothing(
    store: Store, worker: str, clock: Clock
) -> None:
    probe = given_probe(store, clock, worker)

    open_it(store)
    end(store, [probe])

    assert (view(store).state, view(store).stays) == ("open", True)


def test_a_running_run_goes_on_when_its_breaker_opens(store: Store) -> None:
    given_job(store)
    lease = given_lease(store)

    open_it(store)

    assert end(store, [lease]) == []


def test_closing_wakes_all_queues_of_the_job(store: Store) -> None:
    given_job(store)
    for queue in ("a", "b"):
        given_run(store, queue=queue)
    open_it(store)
    woken: set[str] = set()
    watch = store.watch(woken.add)

    close_it(store)

    watch.close()
    assert {queue_key(HOME, "a"), queue_key(HOME, "b")} <= woken


def test_queues_and_jobs_show_what_is_held(store: Store, worker: str, clock: Clock) -> None:
    given_job(store, None, name="mail")
    given_probe(store, clock, worker, waiting=2)
    given_run(store, job="mail")

    (queue,) = store.read(lambda tx: queues(tx, namespace=HOME))
    states = {job.name: job.breaker for job in store.read(lambda tx: jobs(tx, namespace=HOME))}
    held = store.read(lambda tx: held_jobs(tx, namespace=HOME))

    assert (queue.queued, queue.held, queue.running) == (3, 2, 1)
    assert states == {"mail": None, "noop": "half_open"}
    assert held == {"noop": view(store).probe_id}


def test_an_alert_is_told_by_one_and_taken_by_one(store: Store, clock: Clock) -> None:
    given_job(store)
    open_it(store)
    (alert,) = alerts(store)

    tells = [store.write(lambda tx: outbox.tell_alert(tx, alert)) for _ in range(2)]
    takes = [store.write(lambda tx: outbox.take_alert(tx, alert, wait_ms=50)) for _ in range(2)]
    meanwhile = alerts(store)
    clock.advance(50)
    (again,) = alerts(store)

    assert (tells, takes, meanwhile) == ([True, False], [True, False], [])
    assert (again.id, again.tries, again.is_told) == (alert.id, 1, True)


def test_an_alert_that_was_sent_or_is_a_day_old_is_not_sent(store: Store, clock: Clock) -> None:
    given_job(store)
    open_it(store)
    (first,) = alerts(store)
    store.write(lambda tx: outbox.tell_alert(tx, first))
    store.write(lambda tx: outbox.sent_alert(tx, first))
    after_sent = alerts(store)
    close_it(store)
    (second,) = alerts(store)
    store.write(lambda tx: outbox.tell_alert(tx, second))

    clock.advance(outbox.PATIENCE_MS)

    assert (after_sent, alerts(store)) == ([], [])


def test_without_a_webhook_only_what_nobody_told_is_waiting(store: Store) -> None:
    given_job(store)
    open_it(store)
    (alert,) = store.read(lambda tx: outbox.waiting_alerts(tx, sends=False, limit=5))

    store.write(lambda tx: outbox.tell_alert(tx, alert))

    assert store.read(lambda tx: outbox.waiting_alerts(tx, sends=False, limit=5)) == []
    assert alerts(store) != []


def test_old_alerts_are_pruned(store: Store, clock: Clock) -> None:
    given_job(store)
    open_it(store)
    clock.advance(30 * 86_400_000 + 1)
    close_it(store)

    store.write(lambda tx: prune(tx, Retention(), limit=10))

    assert [kind for kind, _ in told(store)] == ["breaker.closed"]


def test_opening_and_closing_a_breaker_is_audited(store: Store) -> None:
    given_job(store)
    ann = backend_of(store).acting_as("ann@here")

    ann.call(operations.open_breaker, "noop", note="db moves")
    ann.call(operations.close_breaker, "noop")

    told = store.read(lambda tx: acts(tx, namespace=HOME))
    assert [(act.who, act.verb, act.subject, act.detail) for act in told] == [
        ("ann@here", "close breaker", "noop", {}),
        ("ann@here", "open breaker", "noop", {"note": "db moves"}),
    ]
