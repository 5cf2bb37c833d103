"""Random graphs with random endings against a plain reading of the rules that shares no code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rota.model.graphs.graph import Graph, Join, Kind, Node
from rota.model.states import State
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import Clock, given_worker, look
from tests.contract.graphs.builders import Flow, forget_courses
from tests.support.graph_reference import Reference

JOINS: list[Join] = sorted(set(get_args(Join)) - {"all_done_setup_success"})
CALM = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to nine nodes; each may come after any before it, by any rule."""
    names = [f"n{at}" for at in range(draw(st.integers(1, 9)))]
    nodes: list[Node] = []
    for at, name in enumerate(names):
        after: list[str] = draw(st.lists(st.sampled_from(names[:at]), unique=True)) if at else []
        join: Join = draw(st.sampled_from(JOINS)) if after else "all_success"
        kind: Kind = "setup" if draw(st.integers(0, 5)) == 0 else "work"
        nodes.append(Node(name=name, job="work", after=tuple(after), join=join, kind=kind))
    setups = [node.name for node in nodes if node.kind == "setup"]
    has_teardown: bool = draw(st.booleans())
    if setups and has_teardown:
        chosen = draw(st.lists(st.sampled_from(setups), unique=True, min_size=1))
        last: list[str] = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        down = Node(
            name="down", job="work", after=tuple(last), kind="teardown", setups=tuple(chosen),
            fails_run=draw(st.booleans()),
        )  # fmt: skip
        nodes.append(down)
    return Graph(name="flow", nodes=tuple(nodes))


@pytest.fixture
def flow_store(empty_url: str) -> Iterator[Store]:
    store = open_store(empty_url, clock=Clock())
    yield store
    store.close()


def specs(graph: Graph) -> dict[str, Any]:
    return {
        node.name: {
            "parents": [*node.after, *node.setups],
            "join": node.join,
            "kind": node.kind,
            "setups": list(node.setups),
            "fails_run": node.fails_run,
        }
        for node in graph.nodes
    }


@CALM
@given(graph=graphs(), data=st.data())
def test_whatever_the_graph_the_nodes_go_as_the_rules_say(
    flow_store: Store, tmp_path: Path, graph: Graph, data: st.DataObject
) -> None:
    flow = Flow(flow_store, given_worker(flow_store), graph)
    reference = Reference(specs(graph))
    run = flow.start()

    for _ in range(len(graph.nodes)):
        running = sorted(flow.running(run))
        assert running == sorted(reference.running())
        if not running:
            break
        ending = data.draw(st.lists(st.sampled_from(running), unique=True, min_size=1))
        verbs = {name: data.draw(st.sampled_from(["succeed", "fail", "abort"])) for name in ending}
        if data.draw(st.booleans()):
            forget_courses(flow_store)
        flow.end_all(run, {(name, None): (verb, None) for name, verb in verbs.items()})  # type: ignore[misc]
        words = {name: "success" if verb == "succeed" else "failed" for name, verb in verbs.items()}
        reference.end(words)

    assert flow.states(run) == reference.states
    assert look(flow_store, run).state is State(reference.outcome())
