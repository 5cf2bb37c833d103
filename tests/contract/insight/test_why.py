"""Why: a run that waits says what it waits for, with numbers."""

from __future__ import annotations

from typing import Any

import pytest

from rota.clock import moment
from rota.engine.admission.active_holds import active_holds
from rota.engine.admission.queues import pause
from rota.engine.insight import why as engine
from rota.engine.insight.why import why
from rota.engine.jobs.definitions import define
from rota.engine.runs.expire import expire
from rota.engine.workers.heartbeat import HeldLease, heartbeat
from rota.engine.workers.registry import NewWorker, register, workers
from rota.errors import UnknownRun
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget, RetryPolicy
from rota.model.runs.reason import Reason
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    START_MS,
    Clock,
    cancel_run,
    claim_one,
    finish_with,
    given_lease,
    given_run,
    given_state,
    given_worker,
)


def ask(store: Store, run_id: str) -> list[Reason]:
    return store.read(lambda tx: why(tx, run_id, namespace=HOME))


def kinds(store: Store, run_id: str) -> list[str]:
    return [reason.kind for reason in ask(store, run_id)]


def given_knowing(store: Store, *jobs: str, **fields: Any) -> str:
    """A live worker that says which jobs it knows."""
    facts: dict[str, Any] = {"queues": ("default",), "slots": 2} | fields
    worker = NewWorker(id=new_id(), name="w", host="h", pid=1, version="0", jobs=jobs, **facts)
    store.write(lambda tx: register(tx, worker, namespace=HOME, lease_ms=LEASE_MS))
    return worker.id


def beat(store: Store, worker_id: str, *, running: int = 0, is_draining: bool = False) -> None:
    held = [HeldLease(new_id(), 1) for _ in range(running)]
    store.write(
        lambda tx: heartbeat(tx, worker_id, lease_ms=LEASE_MS, held=held, is_draining=is_draining)
    )


def test_a_worker_says_which_jobs_it_knows(store: Store) -> None:
    given_knowing(store, "noop", "mail")
    given_worker(store)

    views = store.read(lambda tx: workers(tx, namespace=HOME))

    assert [view.jobs for view in views] == [("noop", "mail"), None]


def test_without_a_worker_a_run_says_so(store: Store, clock: Clock) -> None:
    run_id = given_run(store)
    given_knowing(store, "noop")
    clock.advance(LEASE_MS)

    (reason,) = ask(store, run_id)

    assert (reason.kind, reason.count) == ("no_worker", 0)


def test_a_run_whose_job_no_worker_knows_stays_queued_and_says_so(store: Store) -> None:
    run_id = given_run(store, job="rare")
    worker = given_knowing(store, "noop")
    given_knowing(store, "rare", queues=("elsewhere",))

    (reason,) = ask(store, run_id)

    assert reason.kind == "unknown_job"
    assert reason.says.startswith(
        "no live worker knows job rare: 1 worker in queue default, none has it;"
    )
    assert reason.count == 1
    with pytest.raises(ValueError, match="not enough values"):
        claim_one(store, worker)


def test_a_worker_that_does_not_say_what_it_knows_may_know_the_job(store: Store) -> None:
    run_id = given_run(store, job="rare")
    given_worker(store)

    assert kinds(store, run_id) == ["ready"]


def test_a_queue_that_nobody_serves_is_named(store: Store) -> None:
    run_id = given_run(store, queue="mail")
    given_knowing(store, "noop", queues=("a", "b"))

    (reason,) = ask(store, run_id)

    assert reason.kind == "unserved_queue"
    assert reason.says == "no live worker serves queue mail; 1 worker alive, serving a, b"


def test_a_paused_queue_is_named_with_its_note(store: Store, worker: str) -> None:
    run_id = given_run(store)
    store.write(lambda tx: pause(tx, "default", namespace=HOME, note="provider is down"))

    (reason,) = ask(store, run_id)

    assert (reason.kind, reason.says) == ("paused", "queue default is paused: provider is down")


def test_workers_that_shut_down_are_no_help(store: Store) -> None:
    run_id = given_run(store)
    beat(store, given_knowing(store, "noop"), is_draining=True)

    assert kinds(store, run_id) == ["draining"]


def test_runs_ahead_are_counted_in_the_order_of_claims(store: Store, worker: str) -> None:
    first, second = given_run(store), given_run(store)
    urgent = given_run(store, priority=10)
    given_run(store, queue="other", priority=50)

    ahead = {run_id: ask(store, run_id)[0] for run_id in (urgent, first, second)}

    assert ahead[urgent].kind == "ready"
    assert (ahead[first].kind, ahead[first].count) == ("ahead", 1)
    assert ahead[second].count == 2
    assert ahead[second].says == "2 runs are ahead of it in queue default"


def test_many_runs_ahead_are_not_counted_to_the_end(
    store: Store, worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "COUNTED", 2)
    runs = [given_run(store) for _ in range(6)]

    assert ask(store, runs[-1])[0].says.startswith("more than 2 runs are ahead")


def test_busy_slots_are_counted(store: Store) -> None:
    run_id = given_run(store)
    beat(store, given_knowing(store, "noop"), running=2)
    beat(store, given_knowing(store, "mail"), running=0)

    (reason,) = ask(store, run_id)

    assert (reason.kind, reason.count) == ("busy", 2)
    assert reason.says == "all 2 slots of the 1 worker that could take it are busy"


def test_a_retry_says_which_it_is_and_when(store: Store) -> None:
    spec = JobSpec(name="noop", target=PythonTarget(ref="m:f"), retry=RetryPolicy(limit=5))
    version = store.write(lambda tx: define(tx, spec, namespace=HOME))
    lease = given_lease(store, version=version)
    finish_with(store, lease, "retry", kind="error", error=ERROR, delay_ms=90_500)

    (reason,) = ask(store, lease.run_id)

    assert (reason.kind, reason.until) == ("waits", moment(START_MS + 90_500))
    assert reason.says == "it waits 1m 30s more (retry 1 of 5)"


def test_a_retry_goes_by_the_policy_of_its_submit(store: Store, worker: str) -> None:
    lease = given_lease(store, policy='{"retry":{"limit":9}}')
    finish_with(store, lease, "retry", kind="timeout", error=ERROR, delay_ms=1_000)

    assert "(retry 1 of 9)" in ask(store, lease.run_id)[0].says


def test_a_run_that_was_put_off_says_so_and_what_comes_after(store: Store, clock: Clock) -> None:
    run_id = given_run(store, delay_ms=5_000)

    waiting = ask(store, run_id)
    clock.advance(7_000)
    overdue = ask(store, run_id)

    assert [each.kind for each in waiting] == ["waits", "no_worker"]
    assert waiting[0].says == "it waits 5s more (it was asked to start later)"
    assert [each.kind for each in overdue] == ["overdue", "no_worker"]
    assert overdue[0].count == 2_000


def test_a_running_run_says_where_it_runs(store: Store, clock: Clock) -> None:
    lease = given_lease(store)

    here = ask(store, lease.run_id)
    cancel_run(store, lease.run_id)
    stopping = kinds(store, lease.run_id)
    clock.advance(LEASE_MS)
    silent = kinds(store, lease.run_id)

    assert [each.says for each in here] == ["it is running: attempt 1 on worker w"]
    assert stopping == ["cancel_requested", "running"]
    assert silent == ["cancel_requested", "silent_worker"]


@pytest.mark.parametrize("state", [State.PENDING, State.SUSPENDED])
def test_a_run_that_waits_for_others_says_so(store: Store, state: State) -> None:
    assert kinds(store, given_state(store, state)) == ["blocked"]


def test_an_ended_run_says_how_it_ended(store: Store, clock: Clock) -> None:
    run_id = given_run(store, expires_ms=5)
    clock.advance(5)
    store.write(lambda tx: expire(tx, limit=5))

    (reason,) = ask(store, run_id)

    assert reason.kind == "ended"
    assert reason.says.startswith("it has ended as failed: expired")


def test_a_run_of_another_namespace_is_unknown(store: Store) -> None:
    run_id = given_run(store, namespace="other")

    with pytest.raises(UnknownRun):
        ask(store, run_id)
    assert store.read(lambda tx: active_holds(tx, namespace="other")).workers == ()


def test_a_run_that_is_next_for_long_blames_who_does_not_take_it(
    store: Store, clock: Clock
) -> None:
    worker_id = given_knowing(store, "noop")
    run_id = given_run(store)
    at_first = kinds(store, run_id)
    clock.advance(engine.LONG_MS)
    beat(store, worker_id)

    (reason,) = ask(store, run_id)

    assert at_first == ["ready"]
    assert reason.kind == "stalled"
    assert reason.says.startswith(
        "it has been next for 1m, and no worker with a free slot (1 worker)"
    )
