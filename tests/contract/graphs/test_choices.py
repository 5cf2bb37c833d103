"""Conditions, branches and short circuits: what is not chosen is skipped."""

from __future__ import annotations

from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import look
from tests.contract.graphs.builders import Flow, graph, node


def test_a_condition_that_is_false_skips(store: Store, worker: str) -> None:
    nodes = [
        node("a"),
        node("b", when="nodes.a.result > 5"),
        node("c", when="nodes.a.result <= 5"),
        node("d", "b", "c", join="none_failed_min_one_success"),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "a", result=3)

    assert flow.states(run) == {"a": "success", "b": "skipped", "c": "active", "d": "pending"}
    assert flow.reasons(run)["b"] == "its condition is false: nodes.a.result > 5"
    flow.claim()
    flow.end(run, "c")
    assert flow.running(run) == {"d"}


def test_a_branch_skips_what_it_did_not_choose(store: Store, worker: str) -> None:
    nodes = [node("pick", kind="branch"), node("left", "pick"), node("right", "pick")]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "pick", result="left")

    assert flow.states(run) == {"pick": "success", "left": "active", "right": "skipped"}


def test_a_branch_that_chooses_nonsense_fails(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("pick", kind="branch"), node("left", "pick")]))
    run = flow.start()
    flow.claim()

    flow.end(run, "pick", result="lfet")

    assert look(store, run).state is State.FAILED
    assert "branch 'pick' chose 'lfet'" in (flow.reasons(run)["pick"] or "")


def test_a_short_circuit_ends_all_after_it(store: Store, worker: str) -> None:
    nodes = [node("any", kind="short_circuit"), node("b", "any"), node("c", "b")]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "any", result=False)

    assert flow.states(run) == {"any": "success", "b": "skipped", "c": "skipped"}
    assert look(store, run).state is State.SUCCESS
