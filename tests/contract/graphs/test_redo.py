"""What is done again after a failure is what failed: single items, nodes of graphs inside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rota.engine.graphs.control import Part, mark, rerun_graph
from rota.engine.graphs.views.nodes import nodes
from rota.engine.runs.cancel import cancel
from rota.ids import new_id
from rota.model.graphs.graph import Map, Node, Parameter
from rota.model.runs.run import Lease
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, look, run_sql
from tests.contract.graphs.builders import Flow, forget_courses, graph, node


def rerun(flow: Flow, run: str, part: Part = "failed", name: str | None = None, **how: Any) -> str:
    fresh = new_id()
    flow.store.write(
        lambda tx: rerun_graph(
            tx, run, namespace=HOME, new_id=fresh, who="ann", part=part, node=name, **how
        )
    )
    return fresh


def each(items: list[Any], **fields: Any) -> Node:
    return Node(name="each", job="work", map=Map(over=items, into="x", **fields))


SUM = node("sum", args={"xs": {"$ref": "each"}})


def end_items(flow: Flow, run: str, bad: set[int], leases: list[Lease] | None = None) -> None:
    """All instances that were claimed end, some of them badly; the result tells the item."""
    for lease in flow.claim() if leases is None else leases:
        item = lease.item or 0
        flow.end(run, "each", "fail" if item in bad else "succeed", result=item * 10, item=item)


def test_a_rerun_does_only_those_items_again_that_failed(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([each([1, 2, 3, 4], tolerate=1), SUM]))
    run = flow.start()
    end_items(flow, run, {1, 3})
    assert look(store, run).state is State.FAILED

    again = rerun(flow, run)
    leases = flow.claim()

    assert [(lease.item, json.loads(lease.args)) for lease in leases] == [
        (1, {"x": 2}), (3, {"x": 4})
    ]  # fmt: skip
    end_items(flow, again, set(), leases)
    forget_courses(store)
    (last,) = flow.claim()
    assert json.loads(last.args) == {"xs": [0, 10, 20, 30]}
    (mapped, _) = store.read(lambda tx: nodes(tx, again, namespace=HOME))
    assert mapped.map is not None
    assert (mapped.map.total, mapped.map.done, mapped.map.kept) == (4, 4, 2)
    flow.end(again, "sum")
    assert look(store, again).state is State.SUCCESS


def test_reruns_of_reruns_keep_what_each_of_them_has_done(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([each([1, 2, 3], tolerate=0, concurrency=3), SUM]))
    run = flow.start()
    leases = flow.claim()
    flow.end(run, "each", result=0, item=0)
    flow.end_all(run, {("each", 1): ("fail", None), ("each", 2): ("fail", None)})
    assert {lease.item for lease in leases} == {0, 1, 2}

    second = rerun(flow, run)
    flow.claim()
    flow.end(second, "each", result=10, item=1)
    flow.end(second, "each", "fail", item=2)
    third = rerun(flow, second)
    (lease,) = flow.claim()
    assert lease.item == 2
    flow.end(third, "each", result=20, item=2)
    (last,) = flow.claim()
    assert json.loads(last.args) == {"xs": [0, 10, 20]}
    flow.end(third, "sum", "fail")

    fourth = rerun(flow, third)
    (last,) = flow.claim()
    assert (last.parent_id, json.loads(last.args)) == (fourth, {"xs": [0, 10, 20]})


def test_what_was_never_made_or_was_cancelled_is_done_by_the_rerun(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([each(list(range(6)), concurrency=2), SUM]))
    run = flow.start()
    flow.claim()
    flow.end(run, "each", result=0, item=0)
    flow.claim()
    flow.end(run, "each", "fail", item=1)
    flow.end(run, "each", "abort", item=2)

    again = rerun(flow, run)
    done: list[int] = []
    while leases := flow.claim():
        done += [lease.item or 0 for lease in leases if lease.node == "each"]
        if leases[0].node == "sum":
            break
        end_items(flow, again, set(), leases)

    assert sorted(done) == [1, 2, 3, 4, 5]
    assert json.loads(leases[0].args) == {"xs": [0, 10, 20, 30, 40, 50]}


def test_items_that_are_kept_take_no_place_of_those_that_run_at_once(
    store: Store, worker: str
) -> None:
    """The last items are kept: nothing is left to be made when the one that failed has ended."""
    flow = Flow(store, worker, graph([each([1, 2, 3], concurrency=1, tolerate=1), SUM]))
    run = flow.start()
    for item, verb in ((0, "fail"), (1, "succeed"), (2, "fail")):
        flow.claim()
        flow.end(run, "each", verb, result=item * 10, item=item)  # type: ignore[arg-type]

    again = rerun(flow, run)

    for item in (0, 2):
        assert [lease.item for lease in flow.claim()] == [item]
        flow.end(again, "each", result=item * 10, item=item)
    (last,) = flow.claim()
    assert json.loads(last.args) == {"xs": [0, 10, 20]}


def test_a_map_of_which_all_items_were_done_ends_at_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([each([1, 2]), SUM]))
    run = flow.start()
    leases = flow.claim()
    store.write(
        lambda tx: mark(tx, run, "each", Ending.FAILED, namespace=HOME, reason="marked by ann")
    )
    end_items(flow, run, set(), leases)
    assert look(store, run).state is State.FAILED

    again = rerun(flow, run)
    flow.begin()

    assert flow.states(again)["each"] == "success"
    (last,) = flow.claim()
    assert (last.node, json.loads(last.args)) == ("sum", {"xs": [0, 10]})


def test_an_item_that_ends_well_in_the_old_run_meanwhile_is_kept(store: Store, worker: str) -> None:
    """It was the last one that is left: nobody but the one before it would end the node."""
    flow = Flow(store, worker, graph([each([1, 2], concurrency=2), SUM]))
    run = flow.start()
    flow.claim()
    flow.end(run, "each", "fail", item=0)
    store.write(lambda tx: cancel(tx, run, namespace=HOME))
    again = rerun(flow, run)
    flow.begin()
    run_sql(
        store.url, f"update rota.node set made = 1 where graph_id = '{again}' and name = 'each'"
    )
    run_sql(store.url, f"delete from rota.run where parent_id = '{again}' and item = 1")
    flow.end(run, "each", result=10, item=1)

    flow.claim()
    flow.end(again, "each", result=0, item=0)

    (last,) = flow.claim()
    assert json.loads(last.args) == {"xs": [0, 10]}


def test_naming_a_node_does_all_of_it_again(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([each([1, 2, 3]), SUM]))
    run = flow.start()
    end_items(flow, run, {1})

    again = rerun(flow, run, "from", "each")

    assert [lease.item for lease in flow.claim() if lease.parent_id == again] == [0, 1, 2]


def test_other_parameters_do_all_items_again(store: Store, worker: str) -> None:
    mapped = Map(over={"$param": "xs"}, into="x")
    made = graph([Node(name="each", job="work", map=mapped)], parameters={"xs": Parameter()})
    flow = Flow(store, worker, made)
    run = flow.start(xs=[1, 2, 3])
    end_items(flow, run, {1})

    again = rerun(flow, run, args='{"xs":[7,8,9]}')

    items = [json.loads(lease.args) for lease in flow.claim() if lease.parent_id == again]
    assert items == [{"x": 7}, {"x": 8}, {"x": 9}]


def test_a_list_of_a_node_that_is_done_again_is_another_list(store: Store, worker: str) -> None:
    nodes = [
        node("list"), node("side"),
        Node(name="each", job="work", map=Map(over={"$ref": "list"}, into="x"), after=("side",),
             join="all_done"),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()
    flow.end(run, "list", result=[1, 2])
    flow.end(run, "side", "fail")
    end_items(flow, run, {1})

    again = rerun(flow, run)

    assert [lease.node for lease in flow.claim()] == ["side"]
    flow.end(again, "side")
    assert [lease.item for lease in flow.claim()] == [0, 1]


@pytest.mark.parametrize("again_in_place", [True, False])
def test_a_graph_with_retries_does_only_failed_items_again(
    store: Store, worker: str, *, again_in_place: bool
) -> None:
    flow = Flow(store, worker, graph([each([1, 2, 3], tolerate=0), SUM], retries=3))
    run = flow.start()
    leases = flow.claim()
    end_items(flow, run, {2}, leases)
    assert look(store, run).state is State.SUSPENDED

    (lease,) = flow.claim()
    assert lease.item == 2
    if again_in_place:
        flow.end(run, "each", "fail", item=2)
        (lease,) = flow.claim()
        assert lease.item == 2
    flow.end(run, "each", result=20, item=2)

    (last,) = flow.claim()
    assert json.loads(last.args) == {"xs": [0, 10, 20]}


def test_after_another_list_in_the_same_run_nothing_of_the_first_counts(
    store: Store, worker: str
) -> None:
    """First all items succeed, then the first one fails before the second has begun."""
    nodes = [
        node("check"),
        Node(name="each", job="work", after=("check",), join="all_done",
             map=Map(over=[1, 2], into="x", concurrency=1)),
        node("last", "each", "check"),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes, retries=5))
    run = flow.start()
    flow.claim()
    flow.end(run, "check", "fail")
    end_items(flow, run, set())
    end_items(flow, run, set())
    assert look(store, run).failures == 1
    flow.claim()
    flow.end(run, "check")
    flow.claim()
    flow.end(run, "each", "fail", item=0)
    assert look(store, run).failures == 2

    assert [lease.item for lease in flow.claim()] == [0]
    flow.end(run, "each", item=0)
    assert [(lease.node, lease.item) for lease in flow.claim()] == [("each", 1)]


def test_an_item_that_failed_in_the_last_try_has_no_result_of_the_one_before(
    store: Store, worker: str
) -> None:
    nodes = [
        node("check"),
        Node(name="each", job="work", after=("check",), join="all_done",
             map=Map(over=[1, 2], into="x", tolerate=1)),
        node("sum", "check", args={"xs": {"$ref": "each"}}),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes, retries=1))
    run = flow.start()
    flow.claim()
    flow.end(run, "check", "fail")
    end_items(flow, run, set())
    assert look(store, run).failures == 1
    flow.claim()
    flow.end(run, "check")

    end_items(flow, run, {1})

    (last,) = flow.claim()
    assert json.loads(last.args) == {"xs": [0, None]}


def outer(store: Store, worker: str, **fields: Any) -> Flow:
    inner = graph([node("pre"), node("main", "pre"), node("post", "main")], name="inner",
                  result={"$ref": "post"}, parameters={"x": Parameter(default=0)})  # fmt: skip
    sub = Node(name="sub", graph="inner", **fields)
    return Flow(store, worker, inner, graph([node("a"), sub, node("z", "sub", "a")]))


def child(flow: Flow, run: str, name: str = "sub") -> str:
    return next(str(row["run_id"]) for row in flow.rows(run) if row["name"] == name)


def test_a_rerun_goes_on_inside_of_a_graph_where_it_failed(store: Store, worker: str) -> None:
    flow = outer(store, worker)
    run = flow.start()
    flow.claim()
    flow.end(run, "a")
    flow.end(child(flow, run), "pre")
    flow.claim()
    flow.end(child(flow, run), "main", "fail")
    assert look(store, run).state is State.FAILED

    again = rerun(flow, run)
    flow.begin()
    forget_courses(store)
    (lease,) = flow.claim()

    inner = child(flow, again)
    assert (lease.node, lease.parent_id) == ("main", inner)
    assert flow.states(inner) == {"pre": "success", "main": "active", "post": "pending"}
    flow.end(inner, "main", "fail")
    third = rerun(flow, again)
    flow.begin()
    (lease,) = flow.claim()
    assert lease.node == "main"
    inner = child(flow, third)
    for name in ("main", "post"):
        flow.end(inner, name, result=name)
        flow.claim()
    assert look(store, inner).result == '"post"'
    flow.end(third, "z")
    assert look(store, third).state is State.SUCCESS


def test_naming_a_graph_inside_does_all_of_it_again(store: Store, worker: str) -> None:
    flow = outer(store, worker)
    run = flow.start()
    flow.claim()
    flow.end(run, "a")
    flow.end(child(flow, run), "pre")
    flow.claim()
    flow.end(child(flow, run), "main", "fail")

    again = rerun(flow, run, "from", "sub")

    flow.begin()
    assert [lease.node for lease in flow.claim()] == ["pre"]
    assert flow.states(again)["a"] == "success"


def test_a_graph_inside_of_another_version_is_done_from_its_beginning(
    store: Store, worker: str
) -> None:
    flow = outer(store, worker)
    run = flow.start()
    flow.claim()
    flow.end(run, "a")
    inner = child(flow, run)
    flow.end(inner, "pre")
    flow.claim()
    flow.end(inner, "main", "fail")
    run_sql(store.url, f"update rota.run_history set version = 7 where id = '{inner}'")

    rerun(flow, run)

    flow.begin()
    assert [lease.node for lease in flow.claim()] == ["pre"]


def test_retries_of_a_graph_go_on_inside_of_a_graph_where_it_failed(
    store: Store, worker: str
) -> None:
    inner = graph([node("pre"), node("main", "pre")], name="inner")
    flow = Flow(store, worker, inner, graph([Node(name="sub", graph="inner")], retries=1))
    run = flow.start()
    flow.claim()
    flow.end(child(flow, run), "pre")
    flow.claim()
    flow.end(child(flow, run), "main", "fail")
    assert look(store, run).failures == 1

    assert [lease.node for lease in flow.claim()] == ["main"]


def test_each_failed_item_of_a_mapped_graph_goes_on_where_it_failed(
    store: Store, worker: str
) -> None:
    mapped = Map(over=[1, 2, 3], into="x", tolerate=1)
    flow = outer(store, worker, map=mapped)
    run = flow.start()
    leases = flow.claim()
    flow.end(run, "a")
    inner = {lease.parent_id: lease for lease in leases if lease.node == "pre"}
    ids = sorted(str(each) for each in inner)
    items = {each: look(store, each).item for each in ids}
    for each in ids:
        flow.end(each, "pre")
    flow.claim()
    for each in ids:
        flow.end(each, "main", "succeed" if items[each] == 1 else "fail")
    flow.claim()
    (good,) = [each for each in ids if items[each] == 1]
    if look(store, good).state is State.SUSPENDED:
        flow.end(good, "post", result="done")
    assert look(store, run).state is State.FAILED

    rerun(flow, run)
    flow.begin()
    fresh = flow.claim()

    names = sorted((look(store, str(lease.parent_id)).item, lease.node) for lease in fresh)
    assert (0, "main") in names
    assert (2, "main") in names
    assert "pre" not in [name for _, name in names]


def test_graphs_in_graphs_go_on_where_they_failed(store: Store, worker: str) -> None:
    deep = graph([node("one"), node("two", "one")], name="deep")
    mid = graph([node("m"), Node(name="down", graph="deep", after=("m",))], name="mid")
    flow = Flow(store, worker, deep, mid, graph([Node(name="sub", graph="mid")]))
    run = flow.start()
    flow.claim()
    middle = child(flow, run)
    flow.end(middle, "m")
    flow.claim()
    deepest = child(flow, middle, "down")
    flow.end(deepest, "one")
    flow.claim()
    flow.end(deepest, "two", "fail")
    assert look(store, run).state is State.FAILED

    rerun(flow, run)

    flow.begin()
    flow.begin()
    assert [lease.node for lease in flow.claim()] == ["two"]


def test_a_rerun_of_a_run_with_teardowns_sets_up_again_and_keeps_items(
    store: Store, worker: str
) -> None:
    nodes = [
        node("up", kind="setup"),
        Node(name="each", job="work", map=Map(over=[1, 2], into="x"), after=("up",)),
        node("down", "each", kind="teardown", setups=("up",)),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    end_items(flow, run, {1})
    flow.claim()
    flow.end(run, "down")

    again = rerun(flow, run)

    assert [lease.node for lease in flow.claim()] == ["up"]
    flow.end(again, "up")
    assert [(lease.node, lease.item) for lease in flow.claim()] == [("each", 1)]
