"""Random graphs with maps, conditions, branches, short circuits and modes, by the same rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rota.model.graphs.graph import Graph, Join, Kind, Map, Mode, Node
from rota.model.states import State
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import Clock, given_worker, look
from tests.contract.graphs.builders import Flow, forget_courses
from tests.support.graph_reference_wide import At, WideReference

JOINS: list[Join] = sorted(set(get_args(Join)) - {"all_done_setup_success"})
KINDS: dict[str, tuple[Kind, ...]] = {
    "choice": ("work", "branch", "short_circuit", "setup"),
    "scope": ("setup", "short_circuit", "work"),
    "map": ("work", "work", "work", "short_circuit"),
}
"""By what a graph is about: what is drawn too seldom together proves nothing."""
CALM = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def mapped(draw: st.DrawFn) -> Map:
    width = draw(st.sampled_from([6, 4, 1, 0]))
    cap = draw(st.sampled_from([2, 3, 1, None]))
    return Map(over=list(range(width)), into="n", concurrency=cap, tolerate=draw(st.integers(0, 2)))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to eight nodes of every kind, each after any before it, by any rule."""
    about = draw(st.sampled_from(sorted(KINDS)))
    modes: list[Mode] = ["ignore"] if about == "map" else ["ignore", "finish", "fail_fast"]
    mode = draw(st.sampled_from(modes))
    names = [f"n{at}" for at in range(draw(st.integers(3, 7)))]
    above: dict[str, list[str]] = {}
    for at, name in enumerate(names):
        least = min(at, draw(st.sampled_from([1, 1, 0])))
        parents = st.lists(st.sampled_from(names[:at]), unique=True, min_size=least, max_size=3)
        above[name] = draw(parents) if at else []
    nodes = []
    for name in names:
        after = above[name]
        has_children = any(name in others for others in above.values())
        kinds = KINDS[about] if has_children else ("work",)
        kind: Kind = draw(st.sampled_from(kinds))
        facts: dict[str, Any] = {}
        if kind == "work" and draw(st.integers(0, 1 if about == "map" else 4)) == 0:
            facts["map"] = draw(mapped())
        if after and draw(st.integers(0, 3)) == 0:
            facts["when"] = f"nodes.{draw(st.sampled_from(after))}.state == 'success'"
        if after and mode != "fail_fast":
            facts["join"] = draw(st.sampled_from(JOINS))
        nodes.append(Node(name=name, job="work", after=tuple(after), kind=kind, **facts))
    setups = [node.name for node in nodes if node.kind == "setup"]
    if setups:
        nodes.append(draw(teardown(names, setups)))
    return Graph(name="flow", nodes=tuple(nodes), mode=mode)


@st.composite
def teardown(draw: st.DrawFn, names: list[str], setups: list[str]) -> Node:
    after: list[str] = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
    cleared: list[str] = draw(st.lists(st.sampled_from(setups), unique=True, min_size=1))
    return Node(
        name="down",
        job="work",
        after=tuple(after),
        kind="teardown",
        setups=tuple(cleared),
        fails_run=draw(st.integers(0, 2)) == 0,
    )


@pytest.fixture
def flow_store(empty_url: str) -> Iterator[Store]:
    store = open_store(empty_url, clock=Clock())
    yield store
    store.close()


def specs(graph: Graph) -> dict[str, Any]:
    return {node.name: spec(node) for node in graph.nodes}


def spec(node: Node) -> dict[str, Any]:
    each = node.map
    return {
        "parents": [*node.after, *node.setups],
        "join": node.join,
        "kind": node.kind,
        "setups": list(node.setups),
        "fails_run": node.fails_run,
        "when": node.when.split(".")[1] if node.when else None,
        "map": None
        if each is None
        else {"width": len(each.over), "cap": each.concurrency, "tolerate": each.tolerate},
    }


def at_work(flow: Flow, run: str) -> list[At]:
    """What runs; nothing does of a node that has ended."""
    flow.claim()
    states = flow.states(run)
    assert {states[name] for graph_id, name, _ in flow.leases if graph_id == run} <= {"active"}
    return [(name, item) for graph_id, name, item in flow.leases if graph_id == run]


def drawn(data: st.DataObject, graph: Graph, name: str) -> tuple[str, Any]:
    """How a node or an instance ends, and what it decides."""
    verb = data.draw(st.sampled_from(["succeed", "succeed", "succeed", "fail", "abort"]))
    kind = next(node.kind for node in graph.nodes if node.name == name)
    if kind == "branch":
        children = [node.name for node in graph.nodes if name in node.after]
        return verb, data.draw(st.lists(st.sampled_from(children), unique=True))
    return verb, data.draw(st.booleans()) if kind == "short_circuit" else None


@CALM
@given(graph=graphs(), data=st.data())
def test_whatever_the_graph_the_nodes_go_as_the_rules_say(
    flow_store: Store, graph: Graph, data: st.DataObject
) -> None:
    flow = Flow(flow_store, given_worker(flow_store), graph)
    reference = WideReference(specs(graph), graph.mode)
    run = flow.start()

    for _ in range(8 * len(graph.nodes)):
        running = sorted(at_work(flow, run), key=str)
        assert running == sorted(reference.at_work(), key=str)
        if not running:
            break
        most = data.draw(st.sampled_from([1, 1, None]))
        some = st.lists(st.sampled_from(running), unique=True, min_size=1, max_size=most)
        ending = data.draw(some)
        how = {at: drawn(data, graph, at[0]) for at in ending}
        if data.draw(st.booleans()):
            forget_courses(flow_store)
        flow.end_all(run, how)  # type: ignore[arg-type]  # verbs are drawn from the literals
        reference.end_some(
            {
                at: ("success" if verb == "succeed" else "failed", decided)
                for at, (verb, decided) in how.items()
            }
        )

    assert flow.states(run) == reference.states, json.dumps(specs(graph))
    assert look(flow_store, run).state is State(reference.outcome())
