"""Progress of runs of graphs in the database: from their nodes, and from runs before."""

from __future__ import annotations

from rota.model.graphs.graph import Map
from rota.model.graphs.run_nodes import Progress
from rota.operations.graphs.nodes import show_nodes
from rota.store.base import Store
from tests.contract.builders import Clock
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.identity.builders import caller


def look(store: Store, run_id: str) -> Progress:
    return store.read(lambda tx: show_nodes(tx, caller(), run_id)).progress


def chain(store: Store, worker: str) -> Flow:
    return Flow(store, worker, graph([node("a"), node("b", "a"), node("c", "b")]))


def run_once(flow: Flow, clock: Clock, **took_ms: int) -> str:
    """A whole run whose nodes take so long."""
    run = flow.start()
    for name, ms in took_ms.items():
        flow.claim()
        clock.advance(ms)
        flow.end(run, name)
    return run


def test_a_first_run_knows_how_far_it_is_but_not_how_long(store: Store, worker: str) -> None:
    flow = chain(store, worker)
    run = flow.start()
    flow.claim()
    flow.end(run, "a")

    seen = look(store, run)

    assert (seen.done, seen.total) == (1, 3)
    assert seen.states == {"active": 1, "pending": 1, "success": 1}
    assert (seen.critical_path, seen.left_ms, seen.unknown) == (("b", "c"), None, 2)


def test_later_runs_know_from_those_before(store: Store, worker: str, clock: Clock) -> None:
    flow = chain(store, worker)
    for seconds in (1, 2, 9):
        run_once(flow, clock, a=seconds * 1000, b=5_000, c=1_000)
    run = flow.start()

    # The clock of the database goes on while the test runs; it was moved by whole seconds.
    left_ms = look(store, run).left_ms
    assert left_ms is not None
    assert 8_000 <= left_ms < 9_000
    flow.claim()
    clock.advance(2_000)
    flow.end(run, "a")
    left_ms = look(store, run).left_ms
    assert left_ms is not None
    assert 6_000 <= left_ms < 7_000


def test_a_mapped_node_is_reckoned_by_its_instances(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("m", map=Map(over=[1, 2, 3, 4], into="x"))]))
    run = flow.start()
    flow.claim()
    clock.advance(10_000)
    flow.end(run, "m", item=0)
    flow.end(run, "m", item=1)

    seen = look(store, run)

    assert seen.share == 0.5
    assert seen.left_ms is not None
    assert 10_000 <= seen.left_ms < 11_000


def test_a_run_that_is_no_graph_is_one_node(store: Store, worker: str) -> None:
    flow = chain(store, worker)
    run = flow.start()
    (lease,) = flow.claim()

    seen = look(store, lease.run_id)

    assert (seen.total, seen.done, seen.states) == (1, 0, {"running": 1})
    assert look(store, run).total == 3
