"""What people do to runs of graphs: pause, resume, mark, rerun; and what a timeout does."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import msgspec
import pytest

from rota.engine.graphs.control import Part, mark, pause, rerun_graph, resume
from rota.engine.identity.audit_log import acts
from rota.engine.insight.why import why
from rota.engine.runs.expire import time_out
from rota.engine.runs.finish import finish
from rota.engine.runs.rerun import rerun as rerun_run
from rota.engine.wakeup_keys import ENDED, NODE_ENDED
from rota.errors import BadGraph, NotAllowed
from rota.ids import new_id
from rota.model.graphs.graph import Map, Node, Parameter
from rota.model.states import State
from rota.operations.graphs.nodes import MarkBody, mark_node, pause_run, resume_run
from rota.operations.runs import reruns
from rota.operations.runs.runs import cancel_run
from rota.rules.graphs.joins import Ending
from rota.store.base import Store, Tx
from rota.store.wakeups import EVERYWHERE
from tests.contract.backends import backend_of
from tests.contract.builders import HOME, Clock, look
from tests.contract.failures.dead_letter_builders import letter_of
from tests.contract.graphs.builders import Flow, graph, node, verdict_of
from tests.contract.identity.builders import caller
from tests.support.calls import eventually


def rerun(store: Store, run: str, part: Part, name: str | None = None) -> str:
    asked = caller("ann", "test")
    how: dict[str, Any] = {
        "all_nodes": part == "all",
        "from_failed": part == "failed",
        "from_node": name,
        "downstream": part != "only",
    }
    return store.write(lambda tx: reruns.rerun_run(tx, asked, run, **how)).run_id


def verbs(store: Store) -> list[str]:
    return [act.verb for act in store.read(lambda tx: acts(tx, namespace=HOME))]


def test_a_paused_run_starts_no_node_until_it_is_resumed(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b"), node("c", "a"), node("d", "b")]))
    run = flow.start()
    leases = {lease.node: lease for lease in flow.claim()}
    back = verdict_of(leases["b"], "release")
    store.write(lambda tx: finish(tx, [back], namespace=HOME))

    store.write(lambda tx: pause_run(tx, caller("ann", "test"), run))
    flow.end(run, "a")

    assert flow.claim() == []
    assert look(store, leases["b"].run_id).state is State.PENDING
    assert flow.states(run) == {"a": "success", "b": "active", "c": "ready", "d": "held"}
    says = [reason.says for reason in store.read(lambda tx: why(tx, run, namespace=HOME))]
    assert says[0] == f"ann has paused run {run}: test; resume it"
    store.write(lambda tx: resume_run(tx, caller("ann", "test"), run))
    assert {lease.node for lease in flow.claim()} == {"b", "c"}
    flow.end(run, "b")
    flow.end(run, "c")
    flow.claim()
    flow.end(run, "d")
    assert look(store, run).state is State.SUCCESS
    assert verbs(store) == ["resume run", "pause run"]


def test_a_paused_map_makes_no_more_instances(store: Store, worker: str) -> None:
    mapped = Map(over=list(range(4)), into="x", concurrency=1)
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=mapped)]))
    run = flow.start()
    flow.claim()

    store.write(lambda tx: pause(tx, run, namespace=HOME))
    flow.end(run, "each", item=0)
    assert flow.claim() == []
    store.write(lambda tx: resume(tx, run, namespace=HOME))

    assert [lease.item for lease in flow.claim()] == [1]


@pytest.mark.parametrize(
    ("ending", "after"),
    [
        (Ending.SUCCESS, "active"),
        (Ending.FAILED, "upstream_failed"),
        (Ending.SKIPPED, "skipped"),
    ],
)
def test_a_node_that_is_marked_ends_so_when_its_handler_has_stopped(
    store: Store, worker: str, ending: Ending, after: str
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    run = flow.start()
    (lease,) = flow.claim()
    body = msgspec.convert({"node": "a", "as": ending.value}, MarkBody)

    store.write(lambda tx: mark_node(tx, caller("ann", "test"), run, body))

    assert flow.states(run) == {"a": "active", "b": "pending"}
    assert look(store, lease.run_id).cancel_requested
    flow.end(run, "a", "abort")
    assert flow.states(run) == {"a": ending.value, "b": after}
    assert flow.reasons(run)["a"] == "marked by ann: test"
    assert verbs(store) == ["mark node"]


def test_an_ended_graph_run_cannot_be_marked_or_paused(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    run = flow.start()
    flow.claim()
    flow.end(run, "a")

    with pytest.raises(NotAllowed, match="node a has ended as success; rerun the graph from it"):
        store.write(
            lambda tx: mark(tx, run, "a", Ending.FAILED, namespace=HOME, reason="marked by ann")
        )
    with pytest.raises(BadGraph, match="graph 'flow' has no node 'x'"):
        store.write(
            lambda tx: mark(tx, run, "x", Ending.FAILED, namespace=HOME, reason="marked by ann")
        )
    flow.claim()
    flow.end(run, "b")
    with pytest.raises(NotAllowed, match="is success; this is for runs of graphs that go on"):
        store.write(lambda tx: pause(tx, run, namespace=HOME))


def chain(store: Store, worker: str) -> tuple[Flow, str]:
    """a, then b which fails, then c; and d beside them."""
    nodes = [
        node("a"), node("b", args={"x": {"$ref": "a"}}), node("c", args={"x": {"$ref": "b"}}),
        node("d", "a"),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes, result={"$ref": "c"}))
    run = flow.start()
    flow.claim()
    flow.end(run, "a", result=1)
    flow.claim()
    flow.end(run, "b", "fail")
    flow.end(run, "d")
    assert look(store, run).state is State.FAILED
    return flow, run


def test_a_rerun_from_what_failed_keeps_the_rest(store: Store, worker: str) -> None:
    flow, run = chain(store, worker)

    again = rerun(store, run, "failed")
    (b,) = flow.claim()

    assert (b.node, b.parent_id, json.loads(b.args)) == ("b", again, {"x": 1})
    assert look(store, again).rerun_of == run
    assert flow.states(again) == {"a": "success", "b": "active", "c": "pending", "d": "success"}
    flow.end(again, "b", result=2)
    flow.claim()
    flow.end(again, "c", result=3)
    assert look(store, again).result == "3"
    assert look(store, run).state is State.FAILED
    assert verbs(store) == ["rerun"]


@pytest.mark.parametrize(
    ("part", "name", "redone"),
    [
        ("all", None, {"a", "b", "c", "d"}),
        ("from", "b", {"b", "c"}),
        ("from", "a", {"a", "b", "c", "d"}),
        ("only", "d", {"d"}),
    ],
)
def test_a_rerun_of_a_part(
    store: Store, worker: str, part: Part, name: str | None, redone: set[str]
) -> None:
    flow, run = chain(store, worker)

    again = rerun(store, run, part, name)
    seen: set[str] = set()
    while running := flow.running(again):
        seen |= running
        for each in running:
            flow.end(again, each, result=5)

    assert seen == redone
    assert look(store, again).state is (State.FAILED if part == "only" else State.SUCCESS)


def test_the_run_of_a_node_is_not_run_again_by_itself(store: Store, worker: str) -> None:
    flow, run = chain(store, worker)
    (old,) = [row["run_id"] for row in flow.rows(run) if row["name"] == "b"]

    with pytest.raises(NotAllowed, match="carries out node b of run"):
        store.write(lambda tx: rerun_run(tx, str(old), namespace=HOME, new_id=new_id(), who="ann"))


def test_a_rerun_of_a_node_that_is_not_there(store: Store, worker: str) -> None:
    _, run = chain(store, worker)

    with pytest.raises(BadGraph, match="graph 'flow' has no node 'z'"):
        rerun(store, run, "from", "z")


def test_a_rerun_keeps_the_results_of_a_map(store: Store, worker: str) -> None:
    nodes = [
        Node(name="each", job="work", map=Map(over=[1, 2], into="x")),
        node("sum", args={"xs": {"$ref": "each"}}),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()
    flow.end(run, "each", result=10, item=0)
    flow.end(run, "each", result=20, item=1)
    flow.claim()
    flow.end(run, "sum", "fail")

    again = rerun(store, run, "failed")
    twice = None
    for _ in range(2):
        (last,) = flow.claim()
        assert json.loads(last.args) == {"xs": [10, 20]}
        flow.end(last.parent_id or "", "sum", "fail")
        twice = twice or rerun(store, again, "failed")


def test_a_graph_is_retried_from_what_failed(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a"), node("c", "b")], retries=1))
    run = flow.start()
    flow.claim()
    flow.end(run, "a")
    first = flow.claim()[0].run_id
    flow.end(run, "b", "fail")

    (again,) = flow.claim()
    assert (again.node, again.run_id != first) == ("b", True)
    flow.end(run, "b", "fail")

    assert flow.claim() == []
    assert look(store, run).state is State.FAILED


def test_a_graph_that_takes_too_long_ends_with_its_nodes(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")], timeout="5m"))
    run = flow.start()
    (lease,) = flow.claim()

    clock.advance(5 * 60_000 - 1)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 0
    clock.advance(1)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 1

    ended = look(store, run)
    assert (ended.state, ended.reason) == (State.FAILED, "ran longer than its timeout of 5m")
    assert look(store, lease.run_id).cancel_requested
    flow.end(run, "a", "abort")
    assert flow.claim() == []


def test_a_rerun_of_a_graph_closes_its_dead_letter(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    run = flow.start()
    flow.claim()
    flow.end(run, "a", "fail")
    assert letter_of(store, run).state == "open"

    fresh = rerun(store, run, "failed")

    letter = letter_of(store, run)
    assert (letter.state, letter.rerun_id, letter.acted_by) == ("redriven", fresh, "ann")
    (act,) = store.read(lambda tx: acts(tx, namespace=HOME, verb="rerun"))
    assert act.detail["letters"] == 1


def test_a_cancel_is_on_record(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    run = flow.start()

    for reason in ("too late", "later still"):
        backend_of(store).acting_as("ann").call(cancel_run, run, reason=reason)

    (act,) = store.read(lambda tx: acts(tx, namespace=HOME, verb="cancel run"))
    assert (act.who, act.subject) == ("ann", run)
    assert act.detail["was"] == "suspended"
    assert act.detail["why"] == "too late"


def test_the_end_of_a_node_is_told_apart_from_that_of_the_graph(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    run = flow.start()
    told: list[str] = []
    (lease,) = flow.claim()

    def told_by(tx: Tx) -> None:
        finish(tx, [verdict_of(lease)], namespace=HOME)

    with closing(store.watch(told.append)):
        store.write(told_by)
        eventually(lambda: {ENDED, NODE_ENDED} <= {*told} or EVERYWHERE in told)

    assert look(store, run).state is State.SUCCESS


def test_parameters_may_be_changed_by_a_rerun(store: Store, worker: str) -> None:
    nodes = [node("a", args={"day": {"$param": "day"}})]
    flow = Flow(store, worker, graph(nodes, parameters={"day": Parameter(type="str")}))
    run = flow.start(day="monday")
    flow.claim()
    flow.end(run, "a")
    fresh = new_id()

    store.write(
        lambda tx: rerun_graph(
            tx, run, namespace=HOME, new_id=fresh, who="ann", args='{"day":"friday"}'
        )
    )

    assert [json.loads(lease.args) for lease in flow.claim()] == [{"day": "friday"}]
