"""Runs of graphs in the database: begun, advanced with each ending, ended with the last."""

from __future__ import annotations

import json
from typing import Any

from rota.engine.runs.cancel import cancel
from rota.engine.runs.finish import finish
from rota.engine.workers.reap import reap
from rota.model.graphs.graph import Node, Parameter
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, look
from tests.contract.graphs.builders import Flow, forget_courses, graph, node, verdict_of


def diamond(**fields: Any) -> Any:
    return graph(
        [
            node("a", args={"day": {"$param": "day"}}),
            node("b", args={"x": {"$ref": "a.n"}}),
            node("c", args={"x": {"$expr": "nodes.a.result.n + 1"}}),
            node("d", args={"xs": [{"$ref": "b"}, {"$ref": "c"}]}),
        ],
        parameters={"day": Parameter(type="str")},
        result={"sum": {"$ref": "d"}},
        **fields,
    )


def test_a_run_goes_from_node_to_node_with_results_in_the_arguments(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, diamond())

    run = flow.start(day="monday")
    assert look(store, run).state is State.SUSPENDED
    (a,) = flow.claim()
    assert (a.node, json.loads(a.args)) == ("a", {"day": "monday"})
    flow.end(run, "a", result={"n": 1})
    leases = {lease.node: json.loads(lease.args) for lease in flow.claim()}
    assert leases == {"b": {"x": 1}, "c": {"x": 2}}
    flow.end(run, "b", result=10)
    assert flow.claim() == []
    flow.end(run, "c", result=20)
    (d,) = flow.claim()
    assert json.loads(d.args) == {"xs": [10, 20]}
    flow.end(run, "d", result=30)

    ended = look(store, run)
    assert (ended.state, json.loads(ended.result or "")) == (State.SUCCESS, {"sum": 30})


def test_a_process_that_has_not_seen_the_run_goes_on_with_it(store: Store, worker: str) -> None:
    flow = Flow(store, worker, diamond())
    run = flow.start(day="monday")

    for name in "abcd":
        forget_courses(store)
        flow.claim()
        forget_courses(store)
        flow.end(run, name, result={"n": 1})

    assert look(store, run).state is State.SUCCESS


def test_a_failure_reaches_all_that_depend_on_it(store: Store, worker: str) -> None:
    flow = Flow(store, worker, diamond())
    run = flow.start(day="monday")
    flow.claim()

    flow.end(run, "a", "fail")

    assert flow.states(run) == {
        "a": "failed", "b": "upstream_failed", "c": "upstream_failed", "d": "upstream_failed"
    }  # fmt: skip
    ended = look(store, run)
    assert ended.state is State.FAILED
    assert ended.reason is not None
    assert ended.reason.startswith("node a failed: "), "the cause, not what it led to"


def test_a_batch_that_ends_all_parents_releases_the_child_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([*map(node, "abc"), node("d", "a", "b", "c")]))
    run = flow.start()
    flow.claim()

    flow.end_all(run, {(name, None): ("succeed", 1) for name in "abc"})

    assert [lease.node for lease in flow.claim()] == ["d"]


def test_an_ending_that_is_told_twice_counts_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b"), node("c", "a", "b")]))
    run = flow.start()
    flow.claim()
    verdict = flow.verdict(run, "a")

    for _ in range(2):
        store.write(lambda tx: finish(tx, [verdict], namespace=HOME))

    assert flow.states(run) == {"a": "success", "b": "active", "c": "pending"}


def test_a_child_may_run_before_its_parents_have_ended_but_the_run_waits(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b"), node("c", "a", "b", join="one_done")]))
    run = flow.start()
    flow.claim()

    flow.end(run, "a")
    assert flow.running(run) == {"b", "c"}
    flow.end(run, "c")
    assert look(store, run).state is State.SUSPENDED
    flow.end(run, "b")

    assert look(store, run).state is State.SUCCESS


def test_a_run_waits_for_a_node_far_above_one_that_was_given_up(store: Store, worker: str) -> None:
    """Its children end at once; the sink is final long before the slow root."""
    nodes = [node("slow"), node("bad"), node("mid", "slow", "bad"), node("leaf", "mid")]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "bad", "fail")
    assert flow.states(run)["leaf"] == "upstream_failed"
    assert look(store, run).state is State.SUSPENDED
    flow.end(run, "slow")

    assert look(store, run).state is State.FAILED


def test_a_graph_within_a_graph_gives_its_result(store: Store, worker: str) -> None:
    inner = graph([node("x", args={"n": {"$param": "n"}})], name="inner",
                  parameters={"n": Parameter(type="int")}, result={"$ref": "x"})  # fmt: skip
    outer = graph(
        [
            Node(name="sub", graph="inner", args={"n": {"$param": "n"}}),
            node("last", args={"v": {"$ref": "sub"}}),
        ],
        parameters={"n": Parameter(type="int")},
        result={"$ref": "last"},
    )
    flow = Flow(store, worker, inner, outer)
    run = flow.start(n=7)
    (x,) = flow.claim()

    assert json.loads(x.args) == {"n": 7}
    flow.end(x.parent_id or "", "x", result=8)
    (last,) = flow.claim()
    assert json.loads(last.args) == {"v": 8}
    flow.end(run, "last", result=9)

    assert look(store, run).result == "9"


def test_max_nodes_limits_the_nodes_at_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([*map(node, "abcde"), node("f", *"abcde")], max_nodes=2))
    run = flow.start()
    order = []
    while leases := flow.claim():
        assert len(leases) <= 2
        order += [lease.node for lease in leases]
        flow.end_all(run, {(lease.node or "", None): ("succeed", 1) for lease in leases})

    assert order == list("abcdef")
    assert look(store, run).state is State.SUCCESS


def test_arguments_that_do_not_exist_fail_the_node_by_name(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", args={"x": {"$ref": "a.rows[3]"}})]))
    run = flow.start()
    flow.claim()
    flow.end(run, "a", result={"rows": []})

    assert flow.claim() == []

    assert "node 'b': args: a.rows[3] is not there" in (flow.reasons(run)["b"] or "")
    assert look(store, run).state is State.FAILED


def test_a_graph_whose_job_is_not_on_record_fails(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([Node(name="a", job="ghost")]))

    run = flow.start()

    ended = look(store, run)
    assert ended.state is State.FAILED
    assert ended.error is not None
    assert ended.error.message == "node 'a': job 'ghost' is not on record"


def test_parameters_that_the_graph_does_not_take_fail_the_run(store: Store, worker: str) -> None:
    flow = Flow(store, worker, diamond())

    run = flow.start(dya="monday")

    error = look(store, run).error
    assert error is not None
    assert "has no parameter 'dya'. Did you mean 'day'?" in error.message


def test_a_cancelled_run_ends_its_nodes(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b"), node("c", "a")]))
    run = flow.start()
    leases = {lease.node: lease for lease in flow.claim()}
    back = verdict_of(leases["b"], "release")
    store.write(lambda tx: finish(tx, [back], namespace=HOME))

    state = store.write(lambda tx: cancel(tx, run, namespace=HOME))

    assert state is State.CANCELLED
    assert look(store, leases["a"].run_id).cancel_requested
    assert look(store, leases["b"].run_id).state is State.CANCELLED
    flow.end(run, "a", "abort")
    assert flow.claim() == []
    assert look(store, run).state is State.CANCELLED


def test_a_run_that_was_lost_with_its_worker_goes_on_with_another(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    run = flow.start()
    (first,) = flow.claim()
    clock.advance(60_000)

    store.write(lambda tx: reap(tx, limit=10, worker_id=worker))
    (again,) = flow.claim()
    assert (again.run_id, again.fence) == (first.run_id, first.fence + 1)
    assert store.write(lambda tx: finish(tx, [verdict_of(first)], namespace=HOME)) == [first.run_id]
    assert flow.states(run)["b"] == "pending"
    flow.end(run, "a")

    assert flow.running(run) == {"b"}
