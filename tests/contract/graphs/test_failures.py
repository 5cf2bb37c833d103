"""After a failure: what still starts, what stops, and what tidies up."""

from __future__ import annotations

import pytest

from rota.engine.runs.finish import finish
from rota.model.graphs.graph import Mode, Parameter
from rota.model.graphs.graph import Node as GraphNode
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, look
from tests.contract.graphs.builders import Flow, graph, node, verdict_of


@pytest.mark.parametrize(
    ("mode", "slow", "cancels"), [("finish", "active", False), ("fail_fast", "active", True)]
)
def test_after_a_failure_no_others_start(
    store: Store, worker: str, mode: str, slow: str, *, cancels: bool
) -> None:
    nodes = [node("a"), node("slow"), node("next", "slow")]
    flow = Flow(store, worker, graph(nodes, mode=mode))
    run = flow.start()
    leases = {lease.node: lease for lease in flow.claim()}

    flow.end(run, "a", "fail")

    assert flow.states(run) == {"a": "failed", "slow": slow, "next": "skipped"}
    assert look(store, leases["slow"].run_id).cancel_requested is cancels
    flow.end(run, "slow", "abort" if cancels else "succeed")
    ended = look(store, run)
    assert (ended.state, ended.reason) == (State.FAILED, "node a failed: ValueError: broken")


def test_a_node_that_waits_in_its_queue_does_not_start_after_a_failure(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b")], mode="finish"))
    run = flow.start()
    leases = {lease.node: lease for lease in flow.claim()}
    back = verdict_of(leases["b"], "release")
    store.write(lambda tx: finish(tx, [back], namespace=HOME))

    flow.end(run, "a", "fail")

    assert flow.states(run) == {"a": "failed", "b": "skipped"}
    assert look(store, leases["b"].run_id).state is State.CANCELLED
    assert look(store, run).state is State.FAILED


def test_a_teardown_runs_after_a_failure(store: Store, worker: str) -> None:
    nodes = [
        node("up", kind="setup"),
        node("work", "up"),
        node("down", "work", kind="teardown", setups=("up",)),
    ]
    flow = Flow(store, worker, graph(nodes, mode="fail_fast"))
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    flow.claim()
    flow.end(run, "work", "fail")

    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    assert look(store, run).state is State.FAILED


@pytest.mark.parametrize("mode", ["finish", "fail_fast"])
@pytest.mark.parametrize(("fails_run", "state"), [(False, State.SUCCESS), (True, State.FAILED)])
def test_a_failed_teardown_stops_others_only_if_it_says_so(
    store: Store, worker: str, mode: Mode, *, fails_run: bool, state: State
) -> None:
    nodes = [
        node("up", kind="setup"),
        node("down", "up", kind="teardown", setups=("up",), fails_run=fails_run),
        node("slow"),
        node("last", "slow"),
    ]
    flow = Flow(store, worker, graph(nodes, mode=mode))
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    flow.claim()

    flow.end(run, "down", "fail")
    flow.end(run, "slow")

    assert flow.running(run) == (set() if fails_run else {"last"})
    if not fails_run:
        flow.end(run, "last")
    assert look(store, run).state is state


def test_a_graph_within_another_refuses_what_its_parameters_do_not_take(
    store: Store, worker: str
) -> None:
    inner = graph([node("deep")], name="inner", parameters={"n": Parameter(type="int")})
    within = GraphNode(name="within", graph="inner", args={"n": {"$ref": "first"}})
    flow = Flow(store, worker, inner, graph([node("first"), within, node("after", "first")]))
    run = flow.start()
    flow.claim()

    flow.end(run, "first", result="seven")
    flow.claim()
    flow.end(run, "after")

    assert flow.states(run) == {"first": "success", "within": "failed", "after": "success"}
    reason = flow.reasons(run)["within"] or ""
    assert "graph 'inner': n: Expected `int`, got `str`; n is int" in reason
