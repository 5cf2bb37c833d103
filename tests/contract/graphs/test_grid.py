"""The grid of a graph: runs beside each other, also of other versions."""

from __future__ import annotations

import pytest

from rota.engine.graphs.control import pause
from rota.engine.graphs.views.grid import grid
from rota.engine.graphs.views.nodes import is_paused
from rota.errors import BadGraph
from rota.model.graphs.definition import Grid
from rota.store.base import Store
from tests.contract.builders import HOME, given_worker
from tests.contract.graphs.builders import JOB, Flow, graph, node


def look(store: Store, version: int = 1, *, limit: int = 30, job: str = "flow") -> Grid:
    return store.read(lambda tx: grid(tx, job, version, namespace=HOME, limit=limit))


def test_each_node_of_each_run_has_a_cell(store: Store) -> None:
    flow = Flow(store, given_worker(store), graph([node("a"), node("b", "a")]))
    first = flow.start()
    flow.claim()
    flow.end(first, "a", "fail")
    second = flow.start()
    flow.claim()
    third = flow.submit()

    found = look(store)

    assert [run.id for run in found.runs] == [third, second, first]
    assert found.nodes == ["a", "b"]
    assert found.cells == {
        first: {"a": "failed", "b": "upstream_failed"},
        second: {"a": "running", "b": "pending"},
        third: {},
    }
    assert [run.id for run in look(store, limit=1).runs] == [third]


def test_nodes_of_older_versions_follow(store: Store) -> None:
    worker = given_worker(store)
    old = Flow(store, worker, graph([node("gone"), node("b", "gone")]))
    old.start()
    new = Flow(store, worker, graph([node("a"), node("b", "a")]))

    assert look(store, new.version).nodes == ["a", "b", "gone"]


def test_a_paused_run_says_so(store: Store) -> None:
    flow = Flow(store, given_worker(store), graph([node("a")]))
    run_id = flow.start()
    before = store.read(lambda tx: is_paused(tx, run_id))

    store.write(lambda tx: pause(tx, run_id, namespace=HOME))

    assert (before, store.read(lambda tx: is_paused(tx, run_id))) == (False, True)


def test_a_job_that_is_no_graph_has_no_grid(store: Store) -> None:
    Flow(store, given_worker(store), graph([node("a")]))

    with pytest.raises(BadGraph):
        look(store, job=JOB)
