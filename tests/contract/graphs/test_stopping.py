"""A node has ended when nothing of it works any more: teardowns and retries wait for that."""

from __future__ import annotations

import pytest

from rota.engine.graphs.control import mark, pause, resume
from rota.engine.insight.why import why
from rota.engine.runs.cancel import cancel
from rota.model.graphs.graph import Graph, Map, Mode, Node
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, claim_some, look
from tests.contract.graphs.builders import JOB, Flow, graph, node

MODES: tuple[Mode, ...] = ("ignore", "finish", "fail_fast")
FAILED = "1 of 3 items failed, item 0: ValueError: broken"


def say(flow: Flow, run: str, name: str, ending: Ending = Ending.FAILED) -> None:
    flow.store.write(
        lambda tx: mark(tx, run, name, ending, namespace=HOME, reason="marked by ann: test")
    )


def around(*between: Node, **fields: object) -> Graph:
    """up, then what is between, then down which clears up away."""
    last = tuple(each.name for each in between)
    down = Node(name="down", job="work", kind="teardown", setups=("up",), after=last)
    return graph([node("up", kind="setup"), *between, down], **fields)


def mapped(job: str = "work", *, over: int = 3, cap: int | None = None, tolerate: int = 0) -> Node:
    items = Map(over=list(range(over)), concurrency=cap, tolerate=tolerate)
    kind = {"job": job} if job == "work" else {"graph": job}
    return Node(name="each", after=("up",), map=items, **kind)  # type: ignore[arg-type]


def begun(store: Store, worker: str, *graphs: Graph) -> tuple[Flow, str]:
    """A run whose setup has succeeded and of which all else runs that may."""
    flow = Flow(store, worker, *graphs)
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    flow.claim()
    return flow, run


def inner_runs(flow: Flow, run: str) -> list[str]:
    """The runs of graphs inside that have something to do, in the order of their items."""
    return sorted({graph_id for graph_id, _, _ in flow.leases if graph_id != run})


@pytest.mark.parametrize("mode", MODES)
def test_a_teardown_waits_until_the_items_of_a_failed_map_have_stopped(
    store: Store, worker: str, mode: Mode
) -> None:
    flow, run = begun(store, worker, around(mapped(), mode=mode))
    asked = [flow.leases[run, "each", item].run_id for item in (1, 2)]

    flow.end(run, "each", "fail", item=0)

    assert flow.claim() == []
    assert flow.states(run) == {"up": "success", "each": "active", "down": "pending"}
    assert all(look(store, each).cancel_requested for each in asked)
    flow.end(run, "each", "abort", item=1)
    assert flow.claim() == []
    flow.end(run, "each", item=2)
    assert flow.running(run) == {"down"}
    assert flow.reasons(run)["each"] == FAILED
    flow.end(run, "down")
    ended = look(store, run)
    assert (ended.state, ended.reason) == (State.FAILED, f"node each failed: {FAILED}")


def test_items_that_have_not_begun_never_do_after_one_too_many_has_failed(
    store: Store, worker: str
) -> None:
    flow, run = begun(store, worker, around(mapped(over=5, cap=2, tolerate=1)))
    flow.end(run, "each", "fail", item=0)
    flow.claim()

    flow.end(run, "each", "fail", item=1)

    assert flow.claim() == []
    flow.end(run, "each", "abort", item=2)
    assert flow.running(run) == {"down"}
    (row,) = [row for row in flow.rows(run) if row["name"] == "each"]
    assert (row["state"], row["made"], row["ended"], row["bad"]) == ("failed", 3, 3, 2)


def test_items_in_their_queue_are_not_waited_for(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([Node(name="each", job="work", map=Map(over=[1, 2, 3]))]))
    run = flow.start()
    say(flow, run, "each")

    assert look(store, run).state is State.FAILED
    assert flow.claim() == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("clears", ["", "clears"])
def test_a_teardown_waits_until_graphs_that_are_items_of_a_failed_map_have_ended(
    store: Store, worker: str, mode: Mode, clears: str
) -> None:
    item = around(node("a", "up"), name="item") if clears else graph([node("a")], name="item")
    flow, run = begun(store, worker, item, around(mapped("item"), mode=mode))
    inner = inner_runs(flow, run)
    for each in inner if clears else ():
        flow.end(each, "up")
    flow.claim()

    flow.end(inner[0], "a", "fail")
    if clears:
        flow.claim()
        flow.end(inner[0], "down")

    for each in inner[1:]:
        assert flow.running(run) == set()
        assert look(store, each).state is State.SUSPENDED
        flow.end(each, "a", "abort")
        if clears:
            assert flow.running(each) == {"down"}
            flow.end(each, "down")
        assert look(store, each).state is State.CANCELLED
    assert flow.running(run) == {"down"}


@pytest.mark.parametrize("clears", ["", "clears"])
def test_a_retry_begins_when_all_of_the_try_before_has_ended(
    store: Store, worker: str, clears: str
) -> None:
    nodes = [node("a"), node("b", "a")]
    item = around(node("a", "up"), node("b", "a"), name="item") if clears else graph(nodes)
    item = Graph(name="item", nodes=item.nodes)
    each = Node(name="each", graph="item", map=Map(over=[0, 1, 2]))
    flow = Flow(store, worker, item, graph([each], retries=1))
    run = flow.start()
    flow.claim()
    inner = inner_runs(flow, run)
    for one in inner if clears else ():
        flow.end(one, "up")
    flow.claim()

    flow.end(inner[0], "a", "fail")
    assert clears or flow.claim() == []
    for one in inner:
        assert look(store, run).failures == 0
        if one != inner[0]:
            flow.end(one, "a")  # it did not hear in time
        if clears:
            assert flow.running(one) == {"down"}
            flow.end(one, "down")
        assert flow.states(one)["b"] in ("skipped", "upstream_failed")

    assert look(store, run).failures == 1
    assert [look(store, one).state for one in inner[1:]] == [State.CANCELLED] * 2
    flow.claim()
    assert len(inner_runs(flow, run)) == 3
    assert not {*inner_runs(flow, run)} & {*inner}


def test_a_retry_waits_until_the_items_of_a_failed_map_have_stopped(
    store: Store, worker: str
) -> None:
    each = Node(name="each", job="work", map=Map(over=[0, 1, 2]))
    flow = Flow(store, worker, graph([each], retries=1))
    run = flow.start()
    flow.claim()

    flow.end(run, "each", "fail", item=0)
    flow.end(run, "each", "abort", item=1)
    assert flow.claim() == []
    flow.end(run, "each", item=2)

    assert sorted(lease.item or 0 for lease in flow.claim()) == [0, 1]
    for item in (0, 1):
        flow.end(run, "each", item=item)
    assert look(store, run).state is State.SUCCESS


@pytest.mark.parametrize("ending", [Ending.SUCCESS, Ending.FAILED, Ending.SKIPPED])
def test_a_teardown_waits_for_the_handler_of_a_node_that_is_marked(
    store: Store, worker: str, ending: Ending
) -> None:
    flow, run = begun(store, worker, around(node("work", "up")))

    say(flow, run, "work", ending)

    assert flow.claim() == []
    flow.end(run, "work")
    assert flow.states(run)["work"] == ending
    assert flow.running(run) == {"down"}


@pytest.mark.parametrize("ending", [Ending.SUCCESS, Ending.FAILED])
def test_a_marked_graph_clears_away_before_the_one_around_it(
    store: Store, worker: str, ending: Ending
) -> None:
    inner = around(node("a", "up"), name="inner")
    sub = Node(name="sub", graph="inner", after=("up",))
    flow, run = begun(store, worker, inner, around(sub, retries=1))
    (one,) = inner_runs(flow, run)
    flow.end(one, "up")
    flow.claim()

    say(flow, run, "sub", ending)

    flow.end(one, "a", "abort")
    assert flow.running(one) == {"down"}
    assert flow.running(run) == set()
    flow.end(one, "down")
    assert flow.states(run)["sub"] == ending
    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    if ending is Ending.SUCCESS:
        assert look(store, run).state is State.SUCCESS
    else:
        assert look(store, run).failures == 1
        assert flow.running(run) == {"up"}


def test_marking_a_node_again_does_not_wait_for_its_handler(store: Store, worker: str) -> None:
    flow, run = begun(store, worker, around(node("work", "up")))

    say(flow, run, "work")
    assert flow.states(run)["work"] == "active"
    say(flow, run, "work", Ending.SKIPPED)

    assert flow.states(run)["work"] == "skipped"
    assert flow.running(run) == {"work", "down"}
    flow.end(run, "work", "abort")
    flow.end(run, "down")
    assert flow.states(run)["work"] == "skipped"


def test_a_person_decides_how_a_map_ends_that_is_being_stopped(store: Store, worker: str) -> None:
    flow, run = begun(store, worker, around(mapped()))
    flow.end(run, "each", "fail", item=0)

    say(flow, run, "each", Ending.SUCCESS)
    flow.end(run, "each", "abort", item=1)
    flow.end(run, "each", "abort", item=2)

    assert flow.states(run)["each"] == "success"
    assert flow.reasons(run)["each"] == "marked by ann: test"


def test_a_graph_that_a_try_has_left_behind_is_cancelled_with_all_its_nodes(
    store: Store, worker: str
) -> None:
    """It is no item of its node any more when it ends: the node did not wait for it."""
    item = graph([node("a")], name="item")
    down = Node(
        name="down", graph="item", kind="teardown", setups=("up",), map=Map(over=[0]),
        fails_run=True,
    )  # fmt: skip
    flow = Flow(store, worker, item, graph([node("up", kind="setup"), down], retries=1))
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    flow.begin()

    say(flow, run, "down")

    assert look(store, run).failures == 1
    assert [lease.node for lease in flow.claim()] == ["up"]


def test_a_cancelled_graph_clears_away_when_all_inside_has_stopped(
    store: Store, worker: str
) -> None:
    inner = graph([node("a"), node("b", "a")], name="inner")
    sub = Node(name="sub", graph="inner", after=("up",))
    flow, run = begun(store, worker, inner, around(sub))
    (one,) = inner_runs(flow, run)

    store.write(lambda tx: cancel(tx, run, namespace=HOME))

    assert flow.claim() == []
    assert look(store, one).state is State.SUSPENDED
    flow.end(one, "a")
    assert (look(store, one).state, flow.states(one)["b"]) == (State.CANCELLED, "skipped")
    assert flow.running(run) == {"down"}


def test_a_graph_inside_of_which_nothing_runs_ends_at_once(store: Store, worker: str) -> None:
    inner = graph([node("a")], name="inner")
    sub = Node(name="sub", graph="inner", after=("up",))
    flow = Flow(store, worker, inner, around(sub))
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    flow.begin()

    store.write(lambda tx: cancel(tx, run, namespace=HOME))

    assert flow.states(run)["sub"] == "failed"
    assert flow.running(run) == {"down"}


@pytest.mark.parametrize("mode", ["finish", "fail_fast"])
def test_items_that_run_when_another_node_fails_end_before_their_node_does(
    store: Store, worker: str, mode: Mode
) -> None:
    flow, run = begun(store, worker, around(mapped(over=9, cap=2), node("bad", "up"), mode=mode))
    items = [flow.leases[run, "each", item].run_id for item in (0, 1)]

    flow.end(run, "bad", "fail")

    asked = [look(store, each).cancel_requested for each in items]
    assert asked == [mode == "fail_fast"] * 2
    flow.end(run, "each", item=0)
    assert flow.claim() == []
    assert [look(store, items[1]).cancel_requested] == asked[:1]
    flow.end(run, "each", item=1)
    assert flow.reasons(run)["each"] == "not started: node bad failed"
    assert flow.running(run) == {"down"}


def test_a_map_that_is_being_stopped_stays_so_through_a_pause(store: Store, worker: str) -> None:
    flow, run = begun(store, worker, around(mapped(over=5, cap=2)))
    flow.end(run, "each", "fail", item=0)

    store.write(lambda tx: pause(tx, run, namespace=HOME))
    assert (flow.reasons(run)["each"] or "").startswith("1 of 5 items failed")
    store.write(lambda tx: resume(tx, run, namespace=HOME))

    assert flow.claim() == []
    flow.end(run, "each", "abort", item=1)
    assert flow.running(run) == {"down"}


def test_people_are_told_that_a_map_is_being_stopped(store: Store, worker: str) -> None:
    flow, run = begun(store, worker, around(mapped()))
    flow.end(run, "each", "fail", item=0)

    reasons = store.read(lambda tx: why(tx, run, namespace=HOME))

    says = (
        f"node each: 1 of 3 instances have ended, 1 of them failed; it is being stopped: {FAILED}"
    )
    assert says in [reason.says for reason in reasons]


def test_a_node_that_is_being_stopped_has_no_result_yet(store: Store, worker: str) -> None:
    told = node("told", join="always", args={"x": {"$ref": "a"}})
    flow = Flow(store, worker, graph([node("a"), told]))
    run = flow.start()
    first = claim_some(store, worker, limit=1, jobs=(JOB,))
    assert [lease.node for lease in first] == ["a"]

    say(flow, run, "a", Ending.SUCCESS)

    (lease,) = flow.claim()
    assert (flow.states(run)["a"], lease.node, lease.args) == ("active", "told", '{"x":null}')
