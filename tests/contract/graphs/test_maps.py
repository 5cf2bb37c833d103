"""Maps: one run for each item, so many at once, with so many failures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rota.engine.graphs.control import mark
from rota.engine.runs.finish import finish
from rota.model.graphs.graph import Map, Node
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, cancel_run, claim_some, look
from tests.contract.graphs.builders import JOB, Flow, graph, node, verdict_of


def test_a_map_gives_its_results_in_order_to_the_next(store: Store, worker: str) -> None:
    nodes = [
        node("list"),
        Node(name="each", job="work", map=Map(over={"$ref": "list"}, into="x"), args={"k": 1}),
        node("sum", args={"xs": {"$ref": "each"}}),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()
    flow.end(run, "list", result=["p", "q", "r"])

    leases = flow.claim()
    assert {lease.item: json.loads(lease.args) for lease in leases} == {
        0: {"k": 1, "x": "p"}, 1: {"k": 1, "x": "q"}, 2: {"k": 1, "x": "r"}
    }  # fmt: skip
    for item in (2, 0, 1):
        flow.end(run, "each", result=item * 10, item=item)
    (last,) = flow.claim()

    assert json.loads(last.args) == {"xs": [0, 10, 20]}


@pytest.mark.parametrize(
    ("given", "state", "reason"),
    [
        ([], "success", "there were no items"),
        ({"a": 1}, "failed", "node 'each': map.over: {'a': 1} is not a list"),
        (None, "failed", "node 'each': map.over: None is not a list"),
    ],
)
def test_a_map_over_nothing_or_no_list(
    store: Store, worker: str, given: Any, state: str, reason: str
) -> None:
    nodes = [node("list"), Node(name="each", job="work", map=Map(over={"$ref": "list"}, into="x"))]
    flow = Flow(store, worker, graph(nodes, result={"$ref": "each"}))
    run = flow.start()
    flow.claim()

    flow.end(run, "list", result=given)

    assert flow.states(run)["each"] == state
    assert flow.reasons(run)["each"] == reason
    ended = look(store, run)
    assert (ended.state, ended.result) == (state, "[]" if state == "success" else None)


def test_a_map_runs_so_many_at_once_and_bears_failures(store: Store, worker: str) -> None:
    mapped = Map(over=list(range(10)), into="x", concurrency=3, tolerate=2)
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=mapped)]))
    run = flow.start()
    seen = 0
    while leases := flow.claim():
        assert len(leases) <= 3
        for lease in leases:
            is_bad = lease.item in (1, 2)
            flow.end(run, "each", "fail" if is_bad else "succeed", item=lease.item)
        seen += len(leases)

    assert seen == 10
    assert look(store, run).state is State.SUCCESS
    assert flow.reasons(run)["each"] == "2 items failed"


def test_a_map_with_too_many_failures_ends_at_once(store: Store, worker: str) -> None:
    mapped = Map(over=list(range(10)), into="x", concurrency=2, tolerate="10%")
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=mapped)]))
    run = flow.start()
    leases = flow.claim()

    flow.end_all(run, {("each", lease.item): ("fail", None) for lease in leases})

    assert flow.states(run) == {"each": "failed"}
    assert "2 of 10 items failed, the last of them item 1" in (flow.reasons(run)["each"] or "")
    assert flow.claim() == []
    assert look(store, run).state is State.FAILED


@pytest.mark.parametrize("tolerate", [0, "100%"])
@pytest.mark.parametrize("running", [0, 3])
def test_a_map_of_a_cancelled_run_makes_no_more_instances(
    store: Store, worker: str, tolerate: int | str, running: int
) -> None:
    mapped = Map(over=list(range(10)), into="x", concurrency=3, tolerate=tolerate)
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=mapped)]))
    run = flow.start()
    claimed = flow.claim() if running else []

    cancel_run(store, run)
    for lease in claimed:
        flow.end(run, "each", item=lease.item)

    assert flow.claim() == []
    assert look(store, run).state is State.CANCELLED
    assert flow.states(run) == {"each": "failed"}
    assert flow.reasons(run) == {"each": "the run has ended before it"}


@pytest.mark.parametrize("running", [1, 2])
def test_instances_of_the_try_before_do_not_count(store: Store, worker: str, running: int) -> None:
    """There are such if somebody does not wait for them: who marks a node twice."""
    nodes = [Node(name="each", job="work", map=Map(over=[1, 2], into="x"))]
    flow = Flow(store, worker, graph(nodes, retries=1))
    run = flow.start()
    first, *late = claim_some(store, worker, limit=running, jobs=(JOB,))

    store.write(lambda tx: finish(tx, [verdict_of(first, "fail")], namespace=HOME))
    for _ in late * 2:
        store.write(
            lambda tx: mark(tx, run, "each", Ending.FAILED, namespace=HOME, reason="marked by ann")
        )
    again = flow.claim()
    for lease in late:
        verdict = verdict_of(lease, "abort")
        assert store.write(lambda tx, v=verdict: finish(tx, [v], namespace=HOME)) == []  # type: ignore[misc]

    assert sorted(lease.item or 0 for lease in again) == [0, 1]
    assert flow.states(run) == {"each": "active"}
    for item in (0, 1):
        flow.end(run, "each", item=item)
    assert look(store, run).state is State.SUCCESS


def test_a_try_within_the_millisecond_of_the_one_before_has_runs_of_its_own(
    store: Store, worker: str
) -> None:
    nodes = [Node(name="each", job="work", map=Map(over=[1, 2], into="x"))]
    flow = Flow(store, worker, graph(nodes, retries=1))
    run = flow.start()
    first = {lease.run_id for lease in flow.claim()}

    flow.end(run, "each", "fail", item=0)
    flow.end(run, "each", "abort", item=1)
    again = {lease.run_id for lease in flow.claim()}

    assert len(again) == 2
    assert not again & first
    for item in (0, 1):
        flow.end(run, "each", item=item)
    assert look(store, run).state is State.SUCCESS


def test_an_instance_that_is_told_twice_counts_once(store: Store, worker: str) -> None:
    mapped = Map(over=[1, 2, 3], into="x")
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=mapped)]))
    run = flow.start()
    flow.claim()
    verdict = flow.verdict(run, "each", 0)

    for _ in range(3):
        store.write(lambda tx: finish(tx, [verdict], namespace=HOME))

    assert flow.states(run) == {"each": "active"}


def test_items_in_batches(store: Store, worker: str) -> None:
    mapped = Map(over=[1, 2, 3, 4, 5], into="xs", batch=2)
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=mapped)]))
    flow.start()

    given = {lease.item: json.loads(lease.args) for lease in flow.claim()}

    assert given == {0: {"xs": [1, 2]}, 1: {"xs": [3, 4]}, 2: {"xs": [5]}}
