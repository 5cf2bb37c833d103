"""`on_failure`: each run that failed for good is told of, once, in the transaction that ends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rota.engine.failures.on_failure import told_run
from rota.engine.jobs.definitions import define
from rota.engine.runs.expire import expire, time_out
from rota.engine.runs.finish import finish
from rota.engine.runs.lists import runs
from rota.engine.runs.rerun import rerun
from rota.ids import new_id
from rota.model.graphs.graph import Parameter
from rota.model.jobs.spec import CommandTarget, GraphTarget, JobSpec, PythonTarget
from rota.model.runs.run import Lease, Origin, RunView
from rota.model.states import State
from rota.rules.failures.retry import MAX_CRASHES
from rota.store.base import Store, Tx
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    START_MS,
    Clock,
    cancel_run,
    claim_one,
    claim_some,
    finish_all,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    reap_some,
    verdict,
)
from tests.contract.failures.dead_letter_builders import redrive_all
from tests.contract.graphs.builders import JOB, Flow, graph, node

LAST = {"kind": "error", "error": ERROR, "reason": "no retries allowed"}


def given_job(store: Store, name: str, **fields: Any) -> int:
    spec = JobSpec(name=name, target=fields.pop("target", PythonTarget(ref="m:f")), **fields)
    return store.write(lambda tx: define(tx, spec, namespace=HOME))


@pytest.fixture
def charge(store: Store) -> dict[str, Any]:
    """A job whose failures `tell` is told of; gives what a run of it takes."""
    given_job(store, "tell", parameters={"failure": "Failure"}, defaults={}, queue="alerts")
    return {"version": given_job(store, "noop", on_failure="tell")}


def told(store: Store, job: str = "tell") -> list[RunView]:
    """The newest last."""
    return list(reversed(store.read(lambda tx: runs(tx, namespace=HOME, job=job))))


def only_told(store: Store, job: str = "tell") -> RunView:
    found = told(store, job)
    assert len(found) == 1
    return found[0]


def claim_told(store: Store, worker: str) -> list[Lease]:
    return claim_some(store, worker, jobs=("tell",), queues=("alerts", "default"))


def test_a_run_that_failed_for_good_is_told_of(
    store: Store, clock: Clock, charge: dict[str, Any]
) -> None:
    lease = given_lease(store, **charge)
    clock.advance(5)

    finish_with(store, lease, "fail", **LAST)

    run = only_told(store)
    assert (run.state, run.queue, run.version) == (State.QUEUED, "alerts", 1)
    assert json.loads(run.args) == {
        "failure": {
            "run_id": lease.run_id,
            "job": "noop",
            "version": 1,
            "namespace": HOME,
            "attempt": 1,
            "reason": "no retries allowed",
            "error_type": "ValueError",
            "error_message": "broken",
            "failed_at": "2027-01-15T08:00:00.005000Z",
            "logs": f"rota logs {lease.run_id}",
            "schedule": None,
            "scheduled_for": None,
            "graph_run": None,
            "node": None,
        }
    }
    failed = look(store, lease.run_id)
    assert failed.state is State.FAILED
    assert run.failure_of == failed.id
    assert store.read(lambda tx: told_run(tx, failed)) == run


def expired(store: Store, clock: Clock, charge: dict[str, Any]) -> str:
    run_id = given_run(store, expires_ms=1_000, **charge)
    clock.advance(2_000)
    store.write(lambda tx: expire(tx, limit=10))
    return run_id


def lost(store: Store, clock: Clock, charge: dict[str, Any]) -> str:
    lease = given_lease(store, at_most_once=True, **charge)
    clock.advance(LEASE_MS)
    reap_some(store)
    return lease.run_id


def quarantined(store: Store, clock: Clock, charge: dict[str, Any]) -> str:
    run_id = given_run(store, **charge)
    for _ in range(MAX_CRASHES):
        lease = claim_one(store, given_worker(store))
        crash = {"kind": "crash", "error": ERROR, "reason": "died", "max_crashes": MAX_CRASHES}
        finish_with(store, lease, "reap", **crash)
        clock.advance(1)
    return run_id


def refused(store: Store, clock: Clock, charge: dict[str, Any]) -> str:
    del clock
    lease = given_lease(store, **charge)
    bad = verdict(lease, "fail", kind="error", error="no JSON", reason="definition not found")
    finish_all(store, [bad])
    return lease.run_id


@pytest.mark.parametrize("way", [expired, lost, quarantined, refused])
def test_every_way_to_fail_for_good_is_told(
    store: Store, clock: Clock, charge: dict[str, Any], way: Callable[..., str]
) -> None:
    run_id = way(store, clock, charge)

    assert look(store, run_id).state is State.FAILED
    run = only_told(store)
    assert json.loads(run.args)["failure"]["run_id"] == run_id
    assert json.loads(run.args)["failure"]["reason"] == look(store, run_id).reason


def test_on_failure_ignores_a_failure_that_is_retried(
    store: Store, worker: str, charge: dict[str, Any]
) -> None:
    for verb, facts in (
        ("succeed", {"result": "1"}),
        ("retry", {"kind": "error", "error": ERROR, "delay_ms": 10_000_000}),
        ("abort", {"kind": "cancelled", "reason": "cancelled"}),
        ("release", {}),
    ):
        finish_with(store, given_lease(store, worker_id=worker, **charge), verb, **facts)  # type: ignore[arg-type]
        cancel_run(store, given_run(store, **charge))
        for lease in claim_some(store, worker):
            finish_with(store, lease, "abort", reason="cancelled")

    assert told(store) == []


def test_an_ending_that_is_sent_again_is_told_once(
    store: Store, clock: Clock, worker: str, charge: dict[str, Any]
) -> None:
    lease = given_lease(store, worker_id=worker, **charge)
    last = verdict(lease, "fail", **LAST)
    finish_all(store, [last])
    clock.advance(1_000)

    finish_all(store, [last])
    run = only_told(store)
    (tell,) = claim_told(store, worker)
    finish_with(store, tell, "succeed", result="1")
    finish_all(store, [last])

    assert told(store) == [look(store, run.id)]
    assert look(store, run.id).state is State.SUCCESS


def test_a_worker_that_lost_the_lease_starts_no_on_failure_run(
    store: Store, charge: dict[str, Any]
) -> None:
    lease = given_lease(store, **charge)
    stale = verdict(lease, "fail", **LAST)
    finish_with(store, lease, "release")

    assert finish_all(store, [stale]) == [lease.run_id]

    assert told(store) == []


def test_a_rerun_and_a_redrive_that_fail_again_tell_again(
    store: Store, worker: str, charge: dict[str, Any]
) -> None:
    first = given_lease(store, worker_id=worker, **charge)
    finish_with(store, first, "fail", **LAST)
    redrive_all(store, [first.run_id])
    again = new_id()
    store.write(lambda tx: rerun(tx, first.run_id, namespace=HOME, new_id=again, who="ann"))

    leases = claim_some(store, worker)
    for lease in leases:
        finish_with(store, lease, "fail", **LAST)

    assert len(leases) == 2
    of = [run.failure_of for run in told(store)]
    assert sorted(of) == sorted([first.run_id, *(lease.run_id for lease in leases)])  # type: ignore[type-var]


def test_the_failure_of_who_is_told_is_told_to_nobody(
    store: Store, worker: str, charge: dict[str, Any]
) -> None:
    given_job(store, "tell", parameters={"failure": "Failure"}, defaults={}, on_failure="noop")
    finish_with(store, given_lease(store, worker_id=worker, **charge), "fail", **LAST)

    (tell,) = claim_told(store, worker)
    finish_with(store, tell, "fail", **LAST)
    again = new_id()
    store.write(lambda tx: rerun(tx, tell.run_id, namespace=HOME, new_id=again, who="ann"))
    (second,) = claim_told(store, worker)
    finish_with(store, second, "fail", **LAST)

    assert claim_some(store, worker) == []
    assert look(store, again).failure_of == look(store, tell.run_id).failure_of
    assert [run.state for run in told(store)] == [State.FAILED, State.FAILED]


def test_nodes_of_a_graph_that_is_told_are_told_to_nobody(store: Store, worker: str) -> None:
    """Else a node whose job names this very graph would start it for ever."""
    tell = graph([node("mail")], name="tell", parameters={"failure": Parameter()})
    flow = Flow(store, worker, graph([node("load")]), tell)
    given_job(store, JOB, on_failure="tell")
    version = 1
    run = flow_run(flow, "flow", version)
    flow.claim()

    flow.end(run, "load", "fail")

    handler = only_told(store)
    flow.begin()
    flow.claim()
    flow.end(handler.id, "mail", "fail")
    assert look(store, handler.id).state is State.FAILED
    assert [each.id for each in told(store)] == [handler.id]


def flow_run(flow: Flow, name: str, version: int) -> str:
    run_id = given_run(flow.store, job=name, version=version)
    flow.begin()
    return run_id


def test_a_graph_that_fails_is_told_of(store: Store, worker: str) -> None:
    given_job(store, "tell", parameters={"failure": "Failure"}, defaults={})
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    target = GraphTarget(graph=graph([node("a"), node("b", "a")]))
    flow.version = given_job(store, "flow", target=target, on_failure="tell")
    run = flow.start()
    flow.claim()

    flow.end(run, "a", "fail")

    tell = only_told(store)
    failure = json.loads(tell.args)["failure"]
    assert (failure["run_id"], failure["error_type"]) == (run, "RunFailed")
    assert failure["error_message"] == "node a failed: ValueError: broken"


def test_a_graph_that_takes_too_long_is_told_of(store: Store, worker: str, clock: Clock) -> None:
    given_job(store, "tell", parameters={"failure": "Failure"}, defaults={})
    slow = graph([node("a")], timeout="1s")
    flow = Flow(store, worker, slow)
    flow.version = given_job(store, "flow", target=GraphTarget(graph=slow), on_failure="tell")
    run = flow.start()
    clock.advance(2_000)

    store.write(lambda tx: time_out(tx, limit=10))

    tell = only_told(store)
    assert tell.failure_of == run


def test_the_job_of_a_node_is_told_of_too(store: Store, worker: str) -> None:
    given_job(store, "tell", parameters={"failure": "Failure"}, defaults={})
    flow = Flow(store, worker, graph([node("a"), node("last", "a", join="all_done")]))
    given_job(store, JOB, on_failure="tell")
    run = flow.start()
    (lease,) = flow.claim()

    flow.end(run, "a", "fail")

    tell = only_told(store)
    failure = json.loads(tell.args)["failure"]
    assert (failure["run_id"], failure["graph_run"], failure["node"]) == (lease.run_id, run, "a")
    flow.claim()
    flow.end(run, "last")
    assert look(store, run).state is State.SUCCESS


def test_a_failed_run_of_a_schedule_tells_which_and_for_when(
    store: Store, charge: dict[str, Any]
) -> None:
    origin = Origin(schedule="nightly", kind="time", scheduled_for=START_MS)
    text = json.dumps({"schedule": origin.schedule, "kind": "time", "scheduledFor": START_MS})
    lease = given_lease(store, schedule_id=new_id(), origin=text, **charge)

    finish_with(store, lease, "fail", **LAST)

    failure = json.loads(only_told(store).args)["failure"]
    assert failure["schedule"] == "nightly"
    assert failure["scheduled_for"] == "2027-01-15T08:00:00Z"


def test_a_program_gets_the_facts_that_it_names(store: Store) -> None:
    target = CommandTarget(argv=("mail", "{job}", "{error_message}", "{schedule}"))
    names = ("job", "error_message", "schedule")
    given_job(store, "mail", target=target, parameters=dict.fromkeys(names, "str"))
    version = given_job(store, "noop", on_failure="mail")

    finish_with(store, given_lease(store, version=version), "fail", **LAST)

    run = only_told(store, "mail")
    facts = {"job": "noop", "error_message": "broken", "schedule": ""}
    assert json.loads(run.args) == facts


def test_a_run_fails_though_who_is_to_be_told_is_gone(store: Store) -> None:
    version = given_job(store, "noop", on_failure="nobody")
    lease = given_lease(store, version=version)

    finish_with(store, lease, "fail", **LAST)

    failed = look(store, lease.run_id)
    assert failed.state is State.FAILED
    assert store.read(lambda tx: told_run(tx, failed)) is None


class Counted:
    """A transaction that notes its statements."""

    def __init__(self, tx: Tx, names: list[str]) -> None:
        self.__dict__.update(tx=tx, names=names)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["tx"], name)
        if name not in ("execute", "all", "one"):
            return found

        def noted(statement: str, **params: Any) -> Any:
            self.__dict__["names"].append(statement)
            return found(statement, **params)

        return noted

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["tx"], name, value)


def statements_of(store: Store, lease: Lease, verb: Any, **facts: Any) -> list[str]:
    names: list[str] = []
    last = verdict(lease, verb, **facts)
    store.write(lambda tx: finish(Counted(tx, names), [last], namespace=HOME))
    return names


def test_a_job_without_on_failure_costs_no_statement(store: Store, charge: dict[str, Any]) -> None:
    version = given_job(store, "noop")
    kin = {"parent_id": new_id(), "node": "a"}

    good = statements_of(store, given_lease(store, **charge), "succeed", result="1")
    quiet = {**LAST, "quiet": True}
    plain = given_lease(store, version=version)
    bad = statements_of(store, plain, "fail", **quiet)
    inner = given_lease(store, version=version)
    of_node = statements_of(store, inner, "fail", **quiet, **kin)

    assert good == ["close_runs"]
    assert bad == ["record_attempts", "close_runs", "find_given_up", "insert_letters"]
    assert "find_given_up" not in of_node
