"""Retries and timeouts of a node that is a graph, and of one submit of a graph."""

from __future__ import annotations

import msgspec

from rota.engine.runs.expire import time_out
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Map, Node
from rota.model.jobs.spec import GraphTarget, JobSpec, RetryPolicy, retry_of
from rota.model.runs.run import NewRun
from rota.model.states import State
from rota.rules.jobs.options import submit_options
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, look
from tests.contract.graphs.builders import Flow, graph, node


def nested(store: Store, worker: str, *, inner_says: dict[str, object], **fields: object) -> Flow:
    inner = graph([node("a"), node("b", "a")], name="inner", **inner_says)
    sub = Node(name="sub", graph="inner", **fields)  # type: ignore[arg-type]
    return Flow(store, worker, inner, graph([sub]))


def retry_policy_of(made: Graph) -> RetryPolicy:
    return retry_of(JobSpec(name=made.name, target=GraphTarget(graph=made)))


def inner_of(flow: Flow, run: str) -> str:
    (row,) = flow.rows(run)
    return str(row["run_id"])


def test_a_graph_within_another_is_tried_again_as_often_as_its_node_says(
    store: Store, worker: str
) -> None:
    flow = nested(store, worker, inner_says={}, retries=2)
    run = flow.start()
    flow.claim()
    inner = inner_of(flow, run)

    for failures in (1, 2):
        flow.claim()
        flow.end(inner, "a", "fail")
        again = look(store, inner)
        assert (again.state, again.failures) == (State.SUSPENDED, failures)
    flow.claim()
    flow.end(inner, "a", "fail")

    assert look(store, inner).state is State.FAILED
    assert look(store, run).state is State.FAILED


def test_a_node_may_also_take_the_retries_of_its_graph_away(store: Store, worker: str) -> None:
    flow = nested(store, worker, inner_says={"retries": 5}, retries=0)
    run = flow.start()
    flow.claim()

    flow.end(inner_of(flow, run), "a", "fail")

    assert look(store, run).state is State.FAILED


def test_a_graph_within_another_ends_after_the_timeout_of_its_node(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = nested(store, worker, inner_says={"timeout": "1h"}, timeout="5m")
    run = flow.start()
    flow.claim()
    inner = inner_of(flow, run)

    clock.advance(5 * 60_000 - 1)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 0
    clock.advance(1)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 1

    flow.end(inner, "a", "abort")
    ended = look(store, inner)
    assert (ended.state, ended.reason) == (State.FAILED, "ran longer than its timeout of 5m")
    assert look(store, run).state is State.FAILED


def test_each_instance_of_a_mapped_graph_has_the_retries_and_the_timeout_of_the_node(
    store: Store, worker: str, clock: Clock
) -> None:
    inner = graph([node("a")], name="inner")
    sub = Node(name="sub", graph="inner", map=Map(over=[1, 2]), retries=1, timeout="5m")
    flow = Flow(store, worker, inner, graph([sub]))
    run = flow.start()
    leases = flow.claim()
    first, second = sorted(str(lease.parent_id) for lease in leases)

    flow.end(first, "a", "fail")

    assert look(store, first).state is State.SUSPENDED
    flow.claim()
    flow.end(first, "a")
    assert look(store, first).state is State.SUCCESS
    clock.advance(5 * 60_000)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 1
    flow.end(second, "a", "abort")
    assert look(store, second).state is State.FAILED
    assert look(store, run).state is State.FAILED


def test_one_submit_of_a_graph_may_say_retries_and_timeout(
    store: Store, worker: str, clock: Clock
) -> None:
    made = graph([node("a")])
    flow = Flow(store, worker, made)
    policy = submit_options({"retries": 1, "timeout": "5m"}, retry=retry_policy_of(made)).policy
    run = NewRun(
        id=new_id(), job="flow", version=flow.version, policy=msgspec.json.encode(policy).decode()
    )
    store.write(lambda tx: submit(tx, [run], namespace=HOME))
    flow.claim()

    flow.end(run.id, "a", "fail")

    assert look(store, run.id).state is State.SUSPENDED
    clock.advance(5 * 60_000)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 1


def test_what_a_submit_says_of_other_things_leaves_the_retries_of_the_graph() -> None:
    made = graph([node("a")], retries=7)

    change = submit_options({"backoff": "none"}, retry=retry_policy_of(made)).policy

    assert change is not None
    assert change.retry is not None
    assert change.retry.limit == 7
