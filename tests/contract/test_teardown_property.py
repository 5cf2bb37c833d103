"""Random graphs that are cancelled at a random moment, against a plain reading of the rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rota.engine.cancel import cancel
from rota.model.graph import Graph, Join, Node
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, given_worker, look
from tests.contract.graph_builders import Flow, forget_courses
from tests.contract.test_graph_property import CALM, flow_store, specs
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
