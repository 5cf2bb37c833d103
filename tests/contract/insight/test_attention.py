"""Attention: what waits for a person is told, with what to do; what is over soon is not."""

from __future__ import annotations

from collections.abc import Sequence

from rota.engine.admission.queues import pause, resume
from rota.engine.failures.breakers.control import open_breaker
from rota.engine.insight.attention import LATE_MS, LOST_MS, PATIENCE_MS
from rota.engine.insight.overview import overview
from rota.engine.workers.registry import NewWorker, ask_drain, register
from rota.ids import new_id
from rota.model.insight.statistics import Concern
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    claim_one,
    given_run,
    given_worker,
    reap_some,
)
from tests.contract.schedules.builders import TABLES, given_schedule


def concerns(store: Store, queues: Sequence[str] | None = None) -> list[Concern]:
    how = {"namespace": HOME, "window_ms": 3_600_000, "compiled": TABLES}
    return store.read(lambda tx: overview(tx, queues=queues, **how)).attention  # type: ignore[arg-type]


def told(store: Store, queues: Sequence[str] | None = None) -> list[tuple[str, str, int]]:
    return [(each.kind, each.subject, each.runs) for each in concerns(store, queues)]


def stay(store: Store, queue: str) -> str:
    """A worker for one queue, which lives for a day."""
    worker = NewWorker(
        id=new_id(), name="ada", host="mill", pid=7, queues=(queue,), slots=2, version="1"
    )
    store.write(lambda tx: register(tx, worker, namespace=HOME, lease_ms=86_400_000))
    return worker.id


def test_a_queue_without_workers_is_told_after_a_while(store: Store, clock: Clock) -> None:
    stay(store, "default")
    for _ in range(3):
        given_run(store, queue="gpu")
    given_run(store, queue="default")
    assert told(store) == []
    clock.advance(PATIENCE_MS)

    (concern,) = concerns(store)

    assert (concern.kind, concern.subject, concern.runs) == ("unserved", "gpu", 3)
    assert concern.says == "3 runs wait in queue gpu, which no living worker serves."
    assert "--queues gpu" in concern.advice
    assert told(store, ["default"]) == []


def test_without_any_worker_it_is_told_once(store: Store, clock: Clock) -> None:
    for queue in ("a", "b", "b"):
        given_run(store, queue=queue)
    clock.advance(PATIENCE_MS)

    assert told(store) == [("unserved", "", 3)]


def test_a_worker_that_drains_serves_nothing_new(store: Store, clock: Clock) -> None:
    worker = stay(store, "gpu")
    given_run(store, queue="gpu")
    clock.advance(PATIENCE_MS)
    assert told(store) == []
    store.write(lambda tx: ask_drain(tx, worker, namespace=HOME, drains=True))

    (concern,) = concerns(store)

    assert (concern.kind, concern.subject, concern.runs) == ("unserved", "gpu", 1)
    assert concern.says == "1 run waits in queue gpu, whose workers are draining."
    assert "rota workers resume" in concern.advice
    given_run(store, queue="mail")
    clock.advance(PATIENCE_MS)
    (both,) = concerns(store)
    assert both.says == "2 runs wait in 2 queues, and no worker takes new ones of them."


def test_a_paused_queue_is_told_while_runs_wait_in_it(store: Store, clock: Clock) -> None:
    stay(store, "mail")
    store.write(lambda tx: pause(tx, "mail", namespace=HOME, note="no stamps"))
    assert told(store) == []
    given_run(store, queue="mail")
    clock.advance(PATIENCE_MS)

    (concern,) = concerns(store)
    assert (concern.kind, concern.subject, concern.note) == ("paused", "mail", "no stamps")
    store.write(lambda tx: resume(tx, "mail", namespace=HOME))
    assert told(store) == []


def test_a_paused_job_is_told_to_those_who_reach_its_queue(store: Store) -> None:
    given_schedule(store)
    stay(store, "default")
    store.write(lambda tx: open_breaker(tx, "noop", namespace=HOME, note="not now"))
    assert told(store) == []
    given_run(store, job="noop")

    assert told(store) == [("held", "noop", 1)]
    assert told(store, ["default"]) == [("held", "noop", 1)]
    assert told(store, ["mail"]) == []


def test_a_silent_worker_is_told_and_then_what_was_lost_with_it(store: Store, clock: Clock) -> None:
    stay(store, "default")
    dead = given_worker(store)
    given_run(store)
    claim_one(store, dead)
    clock.advance(LEASE_MS + 1)
    assert [each.kind for each in concerns(store)] == ["silent"]

    reap_some(store)
    assert told(store) == [("lost", "", 1)]
    (lost,) = concerns(store)
    assert lost.says == "In the last hour 1 worker died or hung with 1 run at work: w on h."
    assert told(store, ["default"]) == []
    clock.advance(LOST_MS + 1)
    assert "lost" not in [each.kind for each in concerns(store)]


def test_only_the_last_few_of_many_dead_workers_are_named(store: Store, clock: Clock) -> None:
    stay(store, "default")
    for _ in range(5):
        dead = given_worker(store)
        given_run(store)
        claim_one(store, dead)
    clock.advance(LEASE_MS + 1)
    reap_some(store)

    (lost,) = [each for each in concerns(store) if each.kind == "lost"]

    assert lost.says.startswith("In the last hour 5 workers died or hung with 5 runs at work: ")
    assert lost.says.endswith(" and 2 more.")


def test_schedules_that_nobody_fires_are_told(store: Store, clock: Clock) -> None:
    stay(store, "default")
    given_schedule(store, "1m")
    clock.advance(LATE_MS)
    assert told(store) == []
    clock.advance(LATE_MS + 1)

    (concern,) = concerns(store)

    assert concern.kind == "overdue"
    assert concern.says.startswith("1 schedule is overdue by up to 1m: ")
    assert told(store, ["default"]) == []
