"""A run of a graph with retries begins again whoever made its last node fail, and ends at last."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rota.engine.graphs.control import mark, pause, resume
from rota.engine.identity.audit_log import acts
from rota.engine.runs.cancel import cancel
from rota.model.graphs.graph import Parameter
from rota.model.states import State
from rota.operations.runs.runs import cancel_run
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.backends import backend_of
from tests.contract.builders import HOME, look
from tests.contract.graphs.builders import Flow, graph, node

PARAMS = {"n": Parameter(default=None)}
WRONG = {"text": {"$expr": "'order ' + params.n"}}


def fail_by_end(flow: Flow, run: str) -> None:
    flow.claim()
    flow.end(run, "a", "fail")


def fail_by_mark(flow: Flow, run: str) -> None:
    flow.store.write(
        lambda tx: mark(tx, run, "a", Ending.FAILED, namespace=HOME, reason="marked by ann")
    )


def fail_by_cancel(flow: Flow, run: str) -> None:
    (row,) = flow.rows(run)
    flow.store.write(lambda tx: cancel(tx, str(row["run_id"]), namespace=HOME))


@pytest.mark.parametrize("fail", [fail_by_end, fail_by_mark, fail_by_cancel])
def test_whoever_lets_the_last_node_fail_the_run_begins_again_and_then_fails(
    store: Store, worker: str, fail: Callable[[Flow, str], None]
) -> None:
    flow = Flow(store, worker, graph([node("a")], retries=1))
    run = flow.start()

    fail(flow, run)

    again = look(store, run)
    assert (again.state, again.failures) == (State.SUSPENDED, 1)
    flow.leases.clear()
    (lease,) = flow.claim()
    assert (lease.node, lease.attempt) == ("a", 1)
    fail_by_mark(flow, run)
    flow.end(run, "a", "abort")
    assert look(store, run).state is State.FAILED


def test_a_resume_that_ends_the_run_begins_it_again(store: Store, worker: str) -> None:
    flow = Flow(
        store, worker, graph([node("a"), node("b", "a", when="nodes.a.result > 1")], retries=1)
    )
    run = flow.start()
    flow.claim()
    store.write(lambda tx: pause(tx, run, namespace=HOME))
    flow.end(run, "a", result="text")

    store.write(lambda tx: resume(tx, run, namespace=HOME))

    assert look(store, run).state is State.FAILED, "what is evaluated again fails again"
    assert flow.states(run) == {"a": "success", "b": "failed"}


def test_a_run_that_fails_while_it_begins_ends_at_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a", args=WRONG)], parameters=PARAMS, retries=1_000))

    run = flow.start(n=7)

    ended = look(store, run)
    assert (ended.state, ended.failures) == (State.FAILED, 0), "a new try would be the same"


def test_a_run_that_begins_again_and_then_fails_while_it_begins_ends(
    store: Store, worker: str
) -> None:
    """The first node has run and failed; another fails as its arguments do not exist."""
    nodes = [node("a"), node("b", args=WRONG)]
    flow = Flow(store, worker, graph(nodes, parameters=PARAMS, retries=2))
    run = flow.start(n=7)

    for _ in range(3):
        flow.claim()
        flow.end(run, "a", "fail")

    ended = look(store, run)
    assert (ended.state, ended.failures) == (State.FAILED, 2)


def test_the_details_of_an_act_are_there_after_the_graph_has_begun_again(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a")], retries=1))
    run = flow.start()
    (row,) = flow.rows(run)

    backend_of(store).call(cancel_run, str(row["run_id"]), reason="too slow")

    (act,) = store.read(lambda tx: acts(tx, namespace=HOME))
    assert (act.verb, act.subject) == ("cancel run", row["run_id"])
    assert act.detail == {"job": "work", "was": "queued", "why": "too slow"}
    assert look(store, run).state is State.SUSPENDED
