"""The doctor's look at a store: what it finds in one that is well, and in one that is not."""

from __future__ import annotations

import pytest

from rota.engine.admission.dependencies import hold_back
from rota.engine.admission.queues import pause
from rota.engine.graphs.control import pause as pause_graph
from rota.engine.insight.doctor import examine, examine_settings
from rota.engine.workers.chores import take_chore
from rota.model.states import State
from rota.rules.insight.checkup import LATE_MS, Finding
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    claim_some,
    force,
    given_lease,
    given_run,
    given_state,
    given_worker,
    run_sql,
    state_of,
)
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.builders import MINUTE, fire_some, given_job, given_schedule


def look(store: Store, clock: Clock, check: str) -> Finding:
    """What is said about one thing; of several findings the first."""
    findings = store.read(lambda tx: examine(tx, host_ms=clock.ms, facts=store.facts()))
    return next(each for each in findings if each.check == check)


def test_a_store_that_is_at_work_has_no_problem(store: Store, worker: str, clock: Clock) -> None:
    given_lease(store, worker_id=worker)
    given_run(store)
    given_run(store, delay_ms=3_600_000)
    store.write(lambda tx: take_chore(tx, "reap", interval_ms=700))

    findings = store.read(lambda tx: examine(tx, host_ms=clock.ms, facts=store.facts()))

    assert {each.check: each.status for each in findings if each.status == "problem"} == {}
    names = [each.check for each in findings]
    assert {"stuck runs", "silent workers", "unserved queues", "idempotency keys"} <= set(names)
    is_server = store.dialect == "postgres"
    assert ("connections" in names) is ("partitions" in names) is is_server
    assert ("write-ahead log" in names) is not is_server


def test_partitions_of_the_coming_days_are_there(postgres_store: Store, clock: Clock) -> None:
    postgres_store.rotate(keep_good_ms=7 * 86_400_000, keep_bad_ms=30 * 86_400_000)
    now = look(postgres_store, clock, "partitions")
    clock.advance(10 * 86_400_000)
    later = look(postgres_store, clock, "partitions")

    assert (now.status, later.status) == ("ok", "warning")
    assert "run_history_good_" in later.found


@pytest.mark.parametrize("state", [State.PENDING, State.SUSPENDED])
def test_a_run_that_nothing_wakes_is_stuck(store: Store, clock: Clock, state: State) -> None:
    run_id = given_state(store, state)

    found = look(store, clock, "stuck runs")

    assert found.status == "problem"
    assert run_id in found.found
    assert "nothing will ever wake it" in found.found


def test_a_run_that_waits_for_another_run_is_not_stuck(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")], max_runs=1))
    begun, behind = flow.start(), flow.start()
    held = given_flow(store, worker, "held")
    store.write(lambda tx: pause_graph(tx, held, namespace=HOME))
    given_waiting_start(store, clock)
    given_job(store, name="b", dependencies=("a",))
    awaited = given_run(store, job="b")
    leases = claim_some(store, worker, jobs=("b",))
    store.write(lambda tx: hold_back(tx, leases, HOME))

    found = look(store, clock, "stuck runs")

    states = {run_id: state_of(store, run_id) for run_id in (begun, behind, held, awaited)}
    assert states == {
        begun: State.SUSPENDED, behind: State.PENDING, held: State.SUSPENDED, awaited: State.PENDING
    }  # fmt: skip
    waiting = run_sql(store.url, "select state from rota.run where schedule_id is not null")
    assert ("pending",) in waiting
    assert found.status == "ok", found.found


def test_a_pending_run_that_waits_for_nothing_is_stuck(
    store: Store, worker: str, clock: Clock
) -> None:
    run = given_flow(store, worker, "flow")
    run_sql(store.url, f"delete from rota.run where parent_id = '{run}'")
    no_node = look(store, clock, "stuck runs")
    run_sql(store.url, "delete from rota.run")
    given_waiting_start(store, clock)
    run_sql(store.url, "delete from rota.schedule")
    no_schedule = look(store, clock, "stuck runs")

    assert (no_node.status, no_schedule.status) == ("problem", "problem")
    assert run in no_node.found
    assert no_schedule.found.startswith("1 pending: nothing will ever wake it")


def given_waiting_start(store: Store, clock: Clock) -> None:
    """A schedule whose first start runs and whose second waits for it."""
    given_schedule(store, overlap="queue_all")
    for _ in range(2):
        clock.advance(MINUTE)
        fire_some(store)


def given_flow(store: Store, worker: str, name: str) -> str:
    return Flow(store, worker, graph([node("a")], name=name)).start()


def test_a_running_run_is_stuck_when_its_lease_ended_and_nobody_came(
    store: Store, worker: str, clock: Clock
) -> None:
    given_lease(store, worker_id=worker)
    clock.advance(LEASE_MS + LATE_MS - 1)
    early = look(store, clock, "stuck runs")
    clock.advance(1)
    late = look(store, clock, "stuck runs")

    assert (early.status, late.status) == ("ok", "problem")
    assert "lease of its worker has ended" in late.found


def test_a_running_run_without_a_worker_is_stuck(store: Store, worker: str, clock: Clock) -> None:
    lease = given_lease(store, worker_id=worker)
    force(store, "delete from rota.worker", worker)
    clock.advance(LATE_MS)

    found = look(store, clock, "stuck runs")

    assert "its worker is gone" in found.found
    assert lease.run_id in found.found


def test_runs_whose_time_has_passed_are_stuck(store: Store, clock: Clock) -> None:
    given_run(store, delay_ms=1_000)
    clock.advance(1_000 + LATE_MS)
    due = look(store, clock, "stuck runs")
    given_run(store, expires_ms=1_000)
    clock.advance(1_000 + LATE_MS)
    findings = store.read(lambda tx: examine(tx, host_ms=clock.ms, facts={}))
    reasons = " ".join(each.found for each in findings if each.check == "stuck runs")

    assert "nobody promotes it" in due.found
    assert "nobody ends it" in reasons


def test_a_queue_without_a_living_worker_is_told(store: Store, clock: Clock) -> None:
    given_run(store, queue="mail")
    given_worker(store)
    fresh = look(store, clock, "unserved queues")
    clock.advance(LATE_MS + 1)
    old = look(store, clock, "unserved queues")
    store.write(lambda tx: pause(tx, "mail", namespace=HOME))
    paused = look(store, clock, "unserved queues")

    assert (fresh.status, old.status, paused.status) == ("warning", "problem", "ok")
    assert "queue mail" in old.found


def test_silent_workers_and_chores_that_nobody_does_are_told(
    store: Store, worker: str, clock: Clock
) -> None:
    store.write(lambda tx: take_chore(tx, "reap", interval_ms=700))
    before = look(store, clock, "silent workers").status, look(store, clock, "chores").status
    clock.advance(LEASE_MS + LATE_MS)
    after = look(store, clock, "silent workers").status, look(store, clock, "chores").status

    assert worker
    assert before == ("ok", "ok")
    assert after == ("warning", "warning")


def test_a_clock_that_differs_is_told(store: Store, clock: Clock) -> None:
    findings = store.read(lambda tx: examine(tx, host_ms=clock.ms + 5_000, facts={}))

    assert findings[0].found == "5000 ms ahead of the database"
    assert findings[0].status == "warning"


def test_settings_are_examined_without_a_schema(store: Store) -> None:
    checks = {each.check for each in store.read(examine_settings)}

    expected = {"journal mode", "synchronous"}
    if store.dialect == "postgres":
        expected = {"fsync", "full page writes", "synchronous commit", "data checksums"}
    assert checks == expected


def test_claimed_runs_wait_for_nobody(store: Store, worker: str, clock: Clock) -> None:
    given_run(store)
    claim_some(store, worker)

    assert look(store, clock, "unserved queues").status == "ok"
