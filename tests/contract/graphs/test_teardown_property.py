"""Random graphs whose end comes at a random moment, against a plain reading of the rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rota.engine.graphs.control import mark
from rota.engine.runs.cancel import cancel
from rota.model.graphs.graph import Graph, Join, Map, Mode, Node
from rota.model.runs.run import FinishVerb
from rota.model.states import FINAL, State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, given_worker, look
from tests.contract.graphs.builders import Flow, forget_courses
from tests.contract.graphs.test_property import CALM, flow_store, specs
from tests.support.graph_reference import Reference

__all__ = ["flow_store"]
JOINS: tuple[Join, ...] = ("all_success", "all_done", "one_failed", "none_failed")
WORDS = {"succeed": "success", "fail": "failed", "abort": "failed"}


@st.composite
def cleared_graphs(draw: st.DrawFn) -> Graph:
    """One or two setups, work between, and a teardown for each that may wait for the other."""
    setups = ["up0", "up1"][: draw(st.integers(1, 2))]
    nodes = [Node(name=name, job="work", kind="setup") for name in setups]
    names = list(setups)
    for at in range(draw(st.integers(1, 4))):
        after = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        join: Join = draw(st.sampled_from(JOINS))
        nodes.append(Node(name=f"n{at}", job="work", after=tuple(after), join=join))
        names.append(f"n{at}")
    for at, setup in enumerate(setups):
        last = draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=3))
        nodes.append(
            Node(name=f"down{at}", job="work", kind="teardown", setups=(setup,), after=tuple(last))
        )
        names.append(f"down{at}")
    return Graph(name="flow", nodes=tuple(nodes))


@CALM
@given(graph=cleared_graphs(), data=st.data())
def test_whenever_a_run_is_cancelled_what_was_set_up_is_cleared_away(
    flow_store: Store, graph: Graph, data: st.DataObject
) -> None:
    flow = Flow(flow_store, given_worker(flow_store), graph)
    reference = Reference(specs(graph))
    run = flow.start()

    def end_some(least: int) -> None:
        running = sorted(reference.running())
        ending = data.draw(st.lists(st.sampled_from(running), unique=True, min_size=least))
        verbs = {name: data.draw(st.sampled_from([*WORDS])) for name in ending}
        flow.end_all(run, {(name, None): (verb, None) for name, verb in verbs.items()})  # type: ignore[misc]
        reference.end({name: WORDS[verb] for name, verb in verbs.items()})

    for _ in range(data.draw(st.integers(0, 3))):
        if flow.running(run):
            end_some(0)
    if data.draw(st.booleans()):
        flow.claim()
    if not reference.running():
        return
    begun = {name for graph_id, name, _ in flow.leases if graph_id == run}
    if data.draw(st.booleans()):
        forget_courses(flow_store)
    stopped = flow_store.write(lambda tx: cancel(tx, run, namespace=HOME))
    reference.halt(begun)

    while stopped is State.SUSPENDED and reference.running():
        assert sorted(flow.running(run)) == sorted(reference.running())
        end_some(1)

    if stopped is State.SUSPENDED:
        assert flow.states(run) == reference.states
    else:
        reference.end(dict.fromkeys(reference.running(), "failed"))
        downs = [reference.states[node.name] for node in graph.nodes if node.kind == "teardown"]
        assert "runs" not in downs, "something was left that nobody clears away"
    assert look(flow_store, run).state is State.CANCELLED


MODES: tuple[Mode, ...] = ("ignore", "finish", "fail_fast")
At = tuple[str, str, int | None]
VERBS: tuple[FinishVerb, ...] = ("succeed", "succeed", "fail", "abort")


@st.composite
def cleared(draw: st.DrawFn, name: str, *, inner: str | None = None) -> Graph:
    """up, one or two nodes after it that may be maps and graphs, and down after them."""
    nodes = [Node(name="up", job="work", kind="setup")]
    for at in range(draw(st.integers(1, 2))):
        facts: dict[str, Any] = {"job": "work"}
        if inner is not None and draw(st.integers(0, 2)):
            facts = {"graph": inner}
        if draw(st.booleans()):
            cap = draw(st.sampled_from([None, 1, 2]))
            facts["map"] = Map(over=[0, 1, 2], concurrency=cap, tolerate=draw(st.integers(0, 1)))
        after = tuple(draw(st.sampled_from([["up"], [nodes[-1].name]])))
        nodes.append(Node(name=f"n{at}", after=after, **facts))
    last = tuple(node.name for node in nodes[1:])
    nodes.append(Node(name="down", job="work", kind="teardown", setups=("up",), after=last))
    mode, retries = draw(st.sampled_from(MODES)), draw(st.integers(0, 1))
    return Graph(name=name, nodes=tuple(nodes), mode=mode, retries=retries)


@st.composite
def bare(draw: st.DrawFn, name: str) -> Graph:
    """Two nodes and nothing to clear away."""
    first = Node(name="n0", job="work")
    return Graph(
        name=name,
        nodes=(first, Node(name="n1", job="work", after=("n0",))),
        retries=draw(st.integers(0, 1)),
    )


class Watched:
    """A run whose teardowns and retries are watched: neither begins while something works."""

    def __init__(self, flow: Flow, run: str) -> None:
        self.flow = flow
        self.run = run
        self.above: dict[str, str | None] = {run: None}
        self.labels = {run: "outer"}
        """By which runs of graphs are told apart, the same whatever their ids are."""
        self.made: Counter[str] = Counter()
        self.cleared: Counter[str] = Counter()

    def claim(self) -> None:
        before = set(self.flow.leases)
        for lease in self.flow.claim():
            graph_id = lease.parent_id or ""
            at = graph_id, lease.node or "", lease.item
            assert at not in before, f"{at} began again while it worked"
            if graph_id not in self.above:
                view = look(self.flow.store, graph_id)
                self.above[graph_id] = view.parent_id
                place = f"{view.node} {view.item}"
                tries = sum(each.startswith(place) for each in self.labels.values())
                self.labels[graph_id] = f"{place} {tries}"
        for graph_id, name, _ in self.flow.leases:
            others = [at for at in self.flow.leases if graph_id in self.line(at[0])]
            if name in ("up", "down"):
                assert len(others) == 1, f"{name} of {graph_id} works beside {others}"
            for each in self.line(graph_id):
                assert look(self.flow.store, each).state not in FINAL

    def line(self, graph_id: str | None) -> list[str]:
        """A graph, and those around it."""
        found: list[str] = []
        while graph_id is not None:
            found.append(graph_id)
            graph_id = self.above[graph_id]
        return found

    def at_work(self) -> list[At]:
        return sorted(self.flow.leases, key=lambda at: (self.labels[at[0]], at[1], at[2] or 0))

    def end(self, at: At, verb: FinishVerb) -> None:
        self.flow.end(at[0], at[1], verb, item=at[2])
        self.made[at[0]] += at[1] == "up" and verb == "succeed"
        self.cleared[at[0]] += at[1] == "down"

    def to_mark(self) -> list[tuple[str, str]]:
        """Nodes that have not ended and that nobody has marked."""
        return sorted(
            (
                (graph_id, row["name"])
                for graph_id in self.going()
                for row in self.flow.rows(graph_id)
                if row["name"] not in ("up", "down")
                and row["state"] in ("pending", "active")
                and not (row["reason"] or "").startswith("marked")
            ),
            key=lambda place: (self.labels[place[0]], place[1]),
        )

    def going(self) -> list[str]:
        """Runs of graphs that have not ended."""
        store = self.flow.store
        found = [each for each in self.above if look(store, each).state is State.SUSPENDED]
        return sorted(found, key=lambda each: self.labels[each])


@CALM
@given(data=st.data())
def test_teardowns_and_retries_begin_when_nothing_before_them_works(
    flow_store: Store, data: st.DataObject
) -> None:
    inner = data.draw(st.one_of(cleared("inner"), bare("inner")))
    outer = data.draw(cleared("outer", inner="inner"))
    flow = Flow(flow_store, given_worker(flow_store), inner, outer)
    watched = Watched(flow, flow.start())
    watched.claim()

    def disturb() -> None:
        what = data.draw(st.sampled_from(["nothing", "nothing", "nothing", "mark", "cancel"]))
        if what == "mark" and (places := watched.to_mark()):
            graph_id, name = data.draw(st.sampled_from(places))
            ending = data.draw(st.sampled_from([Ending.SUCCESS, Ending.FAILED, Ending.SKIPPED]))
            flow_store.write(
                lambda tx: mark(tx, graph_id, name, ending, namespace=HOME, reason="marked by ann")
            )
        elif what == "cancel":
            graph_id = data.draw(st.sampled_from(watched.going()))
            flow_store.write(lambda tx: cancel(tx, graph_id, namespace=HOME))

    while flow.leases:
        some = st.lists(st.sampled_from(watched.at_work()), unique=True, min_size=1)
        for at in data.draw(some):
            watched.end(at, data.draw(st.sampled_from(VERBS)))
        watched.claim()
        if flow.leases:
            disturb()
            watched.claim()

    assert look(flow_store, watched.run).state in FINAL
    assert watched.made == watched.cleared, "what was set up is cleared away, and once"
