"""How runs of graphs end: by their leaves and what they return; what handlers learn of failures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rota.engine.failures.dead_letters import letters
from rota.engine.graphs.control import mark, rerun_graph
from rota.engine.identity.audit_log import Actor
from rota.ids import new_id
from rota.model.graphs.graph import Map, Node
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, look
from tests.contract.graphs.builders import Flow, graph, node

ME = Actor(act_id=new_id(), who="me")
ALERT = node("alert", "rows", "text", join="one_failed")
TELL = node("tell", "rows", "text", join="one_failed", kind="notify")


def nightly(*more: Any, **fields: Any) -> Any:
    return graph([node("rows"), node("text", "rows"), *more], **fields)


@pytest.mark.parametrize(
    "result",
    [
        {"$ref": "text"},
        {"a": {"$ref": "rows"}, "b": [{"$ref": "text"}]},
        {"$expr": "nodes.text.result"},
    ],
)
def test_a_graph_whose_returned_node_did_not_succeed_has_failed(
    store: Store, worker: str, result: Any
) -> None:
    flow = Flow(store, worker, nightly(ALERT, result=result))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")
    flow.claim()
    flow.end(run, "alert")

    assert flow.states(run) == {"rows": "failed", "text": "upstream_failed", "alert": "success"}
    seen = look(store, run)
    assert seen.state is State.FAILED
    assert seen.reason == "node rows failed: ValueError: broken"
    assert [letter.run_id for letter in store.read(lambda tx: letters(tx, namespace=HOME))] == [run]


def test_a_graph_that_returns_nothing_is_judged_by_its_leaves(store: Store, worker: str) -> None:
    flow = Flow(store, worker, nightly(ALERT))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")
    flow.claim()
    flow.end(run, "alert")

    assert look(store, run).state is State.SUCCESS


def test_a_last_node_that_is_returned_forgives_what_failed_before_it(
    store: Store, worker: str
) -> None:
    last = node("last", "text", join="all_done")
    flow = Flow(store, worker, nightly(last, result={"$ref": "last"}))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")
    flow.claim()
    flow.end(run, "last", result="all the same")

    seen = look(store, run)
    assert (seen.state, seen.result) == (State.SUCCESS, '"all the same"')


def test_a_returned_node_that_was_skipped_is_null(store: Store, worker: str) -> None:
    nodes = [node("pick", kind="branch"), node("left", "pick"), node("right", "pick")]
    result = [{"$ref": "left"}, {"$ref": "right"}]
    flow = Flow(store, worker, graph(nodes, result=result))
    run = flow.start()
    flow.claim()

    flow.end(run, "pick", result="left")
    flow.claim()
    flow.end(run, "left", result=1)

    seen = look(store, run)
    assert (seen.state, seen.result) == (State.SUCCESS, "[1,null]")


def test_a_node_that_is_a_graph_fails_with_what_that_one_returns(store: Store, worker: str) -> None:
    inner = nightly(ALERT, name="inner", result={"$ref": "text"})
    outer = graph([Node(name="sub", graph="inner")], name="outer")
    flow = Flow(store, worker, inner, outer)
    run = flow.start()
    flow.begin()
    (child,) = {lease.parent_id for lease in flow.claim()}

    flow.end(child or "", "rows", "fail")
    flow.claim()
    flow.end(child or "", "alert")

    assert flow.states(run) == {"sub": "failed"}
    assert look(store, run).state is State.FAILED


def test_a_returned_node_that_a_person_marks_as_failed_fails_the_graph(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, nightly(ALERT, result={"$ref": "text"}))
    run = flow.start()
    flow.claim()
    flow.end(run, "rows")
    flow.claim()

    store.write(
        lambda tx: mark(tx, run, "text", Ending.FAILED, namespace=HOME, reason="marked by ann")
    )
    flow.end(run, "text", "abort")
    flow.claim()
    flow.end(run, "alert")

    assert look(store, run).state is State.FAILED


def test_a_rerun_of_what_failed_ends_well_when_the_returned_node_does(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, nightly(TELL, result={"$ref": "text"}))
    run = flow.start()
    flow.claim()
    flow.end(run, "rows", "fail")
    flow.claim()
    flow.end(run, "tell")
    assert look(store, run).state is State.FAILED

    again = new_id()
    store.write(
        lambda tx: rerun_graph(tx, run, namespace=HOME, new_id=again, who=ME.who, part="failed")
    )
    flow.begin()
    flow.claim()
    flow.end(again, "rows")
    flow.claim()
    flow.end(again, "text", result=7)

    assert flow.states(again) == {"rows": "success", "text": "success", "tell": "skipped"}
    seen = look(store, again)
    assert (seen.state, seen.result) == (State.SUCCESS, "7")


@pytest.mark.parametrize("verb", ["succeed", "fail"])
def test_a_notify_runs_and_changes_no_outcome(store: Store, worker: str, verb: Any) -> None:
    flow = Flow(store, worker, nightly(TELL))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")
    flow.claim()
    flow.end(run, "tell", verb)

    expected = "success" if verb == "succeed" else "failed"
    assert flow.states(run) == {"rows": "failed", "text": "upstream_failed", "tell": expected}
    seen = look(store, run)
    assert seen.state is State.FAILED
    assert seen.reason == "node rows failed: ValueError: broken"


def test_a_graph_succeeds_though_its_notify_fails(store: Store, worker: str) -> None:
    told = node("told", "text", kind="notify")
    flow = Flow(store, worker, nightly(told, result={"$ref": "text"}, retries=3))
    run = flow.start()
    flow.claim()
    flow.end(run, "rows")
    flow.claim()
    flow.end(run, "text", result=1)
    flow.claim()

    flow.end(run, "told", "fail")

    assert flow.states(run)["told"] == "failed"
    assert flow.reasons(run)["told"] == "ValueError: broken"
    assert look(store, run).state is State.SUCCESS


@pytest.mark.parametrize("mode", ["finish", "fail_fast"])
def test_a_notify_runs_though_no_others_may_start(store: Store, worker: str, mode: str) -> None:
    flow = Flow(store, worker, nightly(TELL, node("other"), node("more", "other"), mode=mode))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")

    assert "tell" in flow.running(run)
    flow.end(run, "tell", "fail")
    flow.end(run, "other", "abort" if mode == "fail_fast" else "succeed")
    assert flow.states(run)["more"] == "skipped"
    assert look(store, run).reason == "node rows failed: ValueError: broken"


def test_a_notify_that_fails_stops_nothing(store: Store, worker: str) -> None:
    told = node("told", kind="notify")
    flow = Flow(store, worker, graph([told, node("a"), node("b", "a")], mode="fail_fast"))
    run = flow.start()
    flow.claim()

    flow.end(run, "told", "fail")
    flow.end(run, "a")

    assert flow.running(run) == {"b"}
    flow.end(run, "b")
    assert look(store, run).state is State.SUCCESS


def test_a_branch_does_not_leave_a_notify_out(store: Store, worker: str) -> None:
    tell = node("tell", "pick", "left", kind="notify", join="all_done")
    nodes = [node("pick", kind="branch"), node("left", "pick"), node("right", "pick"), tell]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "pick", result="right")

    assert flow.running(run) == {"right", "tell"}


def test_a_handler_is_given_the_error_of_what_failed(store: Store, worker: str) -> None:
    args = {
        "whole": {"$error": "rows"},
        "type": {"$error": "rows.type"},
        "told": {"$expr": "nodes.rows.error.type + '/' + nodes.rows.error.message"},
        "held_back": {"$error": "text.message"},
        "result": {"$ref": "rows"},
    }
    tell = node("tell", join="one_failed", kind="notify", args=args)
    flow = Flow(store, worker, nightly(tell))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")
    (lease,) = flow.claim()

    assert json.loads(lease.args) == {
        "whole": {"type": "ValueError", "message": "broken"},
        "type": "ValueError",
        "told": "ValueError/broken",
        "held_back": None,
        "result": None,
    }


def test_the_error_of_a_node_that_did_not_fail_is_null(store: Store, worker: str) -> None:
    args = {
        "whole": {"$error": "rows"},
        "part": {"$error": "rows.message"},
        "told": {"$expr": "nodes.rows.error.message"},
        "is_good": {"$expr": "nodes.rows.error == null"},
    }
    flow = Flow(store, worker, graph([node("rows"), node("last", join="all_done", args=args)]))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", result={"type": "x"})
    (lease,) = flow.claim()

    nothing = {"whole": None, "part": None, "told": None}
    assert json.loads(lease.args) == {**nothing, "is_good": True}


def test_a_condition_may_ask_by_what_a_node_failed(store: Store, worker: str) -> None:
    nodes = [
        node("rows"),
        node("mend", join="one_failed", when="nodes.rows.error.type == 'ValueError'"),
        node("other", join="one_failed", when="nodes.rows.error.type == 'KeyError'"),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail")

    assert flow.running(run) == {"mend"}
    assert flow.states(run)["other"] == "skipped"


def test_the_error_of_a_mapped_node_tells_how_many_items_failed(store: Store, worker: str) -> None:
    rows = node("rows", map=Map(over=[1, 2]))
    nodes = [
        rows,
        node("tell", kind="notify", join="one_failed", args={"error": {"$error": "rows"}}),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", "fail", item=1)
    flow.end(run, "rows", "abort", item=0)

    (lease,) = [each for each in flow.claim() if each.node == "tell"]
    message = "1 of 2 items failed, item 1: ValueError: broken"
    assert json.loads(lease.args) == {"error": {"type": "ValueError", "message": message}}


def test_the_error_of_a_node_that_could_not_start_tells_why(store: Store, worker: str) -> None:
    nodes = [
        node("rows"),
        node("bad", args={"n": {"$expr": "nodes.rows.result + 1"}}),
        node("tell", kind="notify", join="one_failed", args={"error": {"$error": "bad"}}),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()

    flow.end(run, "rows", result="a text")

    flow.claim()
    (lease,) = flow.claim() or list(flow.leases.values())
    error = json.loads(lease.args)["error"]
    assert error["type"] in ("BadGraph", "BadExpression")
    assert "nodes.rows.result + 1" in error["message"]
