"""Why a run of a graph, or a node of it, does not run: what to look at first comes first."""

from __future__ import annotations

import pytest

from rota.engine.insight.why import why, why_of_node
from rota.engine.runs.cancel import cancel
from rota.engine.runs.expire import time_out
from rota.errors import BadGraph
from rota.model.graphs.graph import Node
from rota.model.runs.reason import Reason
from rota.operations.graphs.nodes import pause_run
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, Clock
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.identity.builders import caller


def test_why_a_run_waits_for_others_of_its_graph(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1, depends_on_past=True))
    first, second = flow.start(), flow.start()

    says = [reason.says for reason in store.read(lambda tx: why(tx, second, namespace=HOME))]

    assert says == [
        f"it depends on the run before it, {first}, which is suspended",
        f"only 1 run may run at once of graph flow; running now: {first}",
    ]


def test_why_a_run_is_left_in_its_queue_while_its_graph_is_full(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1))
    first, second = flow.start(), flow.submit()

    reason, *_ = store.read(lambda tx: why(tx, second, namespace=HOME))

    assert reason.kind == "blocked"
    assert reason.says == f"only 1 run may run at once of graph flow; running now: {first}"
    flow.claim()
    flow.end(first, "a")
    assert [each.kind for each in store.read(lambda tx: why(tx, second, namespace=HOME))] == [
        "ready"
    ]


def test_why_a_graph_in_a_graph_waits_for_others_of_it(store: Store, worker: str) -> None:
    inner = graph([node("a")], name="inner", max_runs=1)
    outer = graph([Node(name="i", job="inner")], name="outer")
    flow = Flow(store, worker, inner, outer)
    flow.start()
    flow.begin()
    second = flow.start()
    flow.begin()
    (row,) = [row for row in flow.rows(second) if row["name"] == "i"]

    (reason,) = store.read(lambda tx: why(tx, str(row["run_id"]), namespace=HOME))

    assert reason.says.startswith("only 1 run may run at once of graph inner; running now: ")


def test_why_a_node_does_not_run(store: Store, worker: str) -> None:
    nodes = [node("a", queue="gpu"), node("b"), node("c", "a"), node("d", "a")]
    flow = Flow(store, worker, graph(nodes, max_nodes=2))
    run = flow.start()

    def says(name: str | None = None) -> list[str]:
        def ask(tx: Tx) -> list[Reason]:
            if name is None:
                return why(tx, run, namespace=HOME)
            return why_of_node(tx, run, name, namespace=HOME)

        return [reason.says for reason in store.read(ask)]

    assert says()[0] == "node a: no live worker serves queue gpu; 1 worker alive, serving default"
    assert says("a") == ["no live worker serves queue gpu; 1 worker alive, serving default"]
    assert says("c") == ["node c waits for node a"]
    store.write(lambda tx: pause_run(tx, caller("ann"), run))
    assert says("c")[0].startswith(f"ann has paused run {run}")
    with pytest.raises(BadGraph, match="has no node 'x'"):
        says("x")


def test_why_a_run_of_a_graph_goes_on(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b"), node("c", "a", "b")]))
    run = flow.start()

    says = [reason.says for reason in store.read(lambda tx: why(tx, run, namespace=HOME))]

    assert says == [
        "0 of 3 nodes have ended, 2 are active: a, b",
        "node c waits for node a and 1 more",
    ]


def test_why_of_a_paused_graph_speaks_of_no_limit_that_it_does_not_have(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    run = flow.start()
    flow.claim()
    store.write(lambda tx: pause_run(tx, caller(), run))
    flow.end(run, "a")

    says = [reason.says for reason in store.read(lambda tx: why(tx, run, namespace=HOME))]

    assert any("has paused run" in each for each in says)
    assert not any("max_nodes" in each for each in says)


def test_why_a_run_that_is_cancelled_goes_on(store: Store, worker: str) -> None:
    inner = graph(
        [
            node("up", kind="setup"),
            node("work", "up"),
            node("down", "work", kind="teardown", setups=("up",)),
        ],
        name="inner",
    )
    flow = Flow(store, worker, inner, graph([Node(name="sub", graph="inner")]))
    run = flow.start()
    flow.claim()
    (row,) = flow.rows(run)
    sub = str(row["run_id"])
    flow.end(sub, "up")
    flow.claim()
    store.write(lambda tx: cancel(tx, run, namespace=HOME))

    def says(run_id: str) -> list[str]:
        return [each.says for each in store.read(lambda tx: why(tx, run_id, namespace=HOME))]

    ends = "a cancel with force ends it at once"
    assert says(sub)[0] == f"cancelling: work was asked to stop, then teardown down runs; {ends}"
    assert says(run)[0] == f"cancelling: sub was asked to stop; {ends}"
    assert says(run)[1] == f"node sub: {says(sub)[0]}"
    flow.end(sub, "work", "abort")
    flow.claim()
    assert says(sub)[0] == f"cancelling: teardown down runs; {ends}"


def test_why_a_run_that_took_too_long_goes_on(store: Store, worker: str, clock: Clock) -> None:
    nodes = [node("up", kind="setup"), node("down", "up", kind="teardown", setups=("up",))]
    flow = Flow(store, worker, graph(nodes, timeout="5m"))
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    clock.advance(5 * 60_000)
    store.write(lambda tx: time_out(tx, limit=9))

    (first, *_) = store.read(lambda tx: why(tx, run, namespace=HOME))

    assert first.kind == "cancel_requested"
    assert first.says.startswith("failing (ran longer than its timeout of 5m): teardown down runs")
