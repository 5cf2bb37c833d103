"""Teardowns run however the run of their graph is ended, and it ends after them, once."""

from __future__ import annotations

import pytest

from rota.engine.graphs.control import mark, pause
from rota.engine.runs.cancel import cancel
from rota.engine.runs.expire import time_out
from rota.engine.runs.finish import finish
from rota.engine.workers.reap import reap
from rota.errors import NotAllowed
from rota.model.graphs.graph import Graph, Map, Node
from rota.model.runs.run import Verdict
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, LEASE_MS, Clock, given_worker, look
from tests.contract.failures.dead_letter_builders import letter_of
from tests.contract.graphs.builders import Flow, graph, node, verdict_of

LATE = "ran longer than its timeout of 5m"


def cluster(**fields: object) -> Graph:
    """up, then work, then down which clears up away; after is behind the work."""
    nodes = [
        node("up", kind="setup"), node("work", "up"), node("after", "work"),
        node("down", "work", kind="teardown", setups=("up",)),
    ]  # fmt: skip
    return graph(nodes, **fields)


def at_work(flow: Flow) -> str:
    """A run whose setup has succeeded and whose work runs."""
    run = flow.start()
    flow.claim()
    flow.end(run, "up")
    flow.claim()
    return run


def stop(store: Store, run: str, *, force: bool = False) -> State:
    return store.write(lambda tx: cancel(tx, run, namespace=HOME, reason="no need", force=force))


def test_a_cancelled_run_clears_away_what_it_has_set_up_and_then_ends(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)

    assert stop(store, run) is State.SUSPENDED

    going = look(store, run)
    assert (going.state, going.cancel_requested) == (State.SUSPENDED, True)
    assert look(store, flow.leases[run, "work", None].run_id).cancel_requested
    flow.end(run, "work", "abort")
    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    ended = look(store, run)
    assert (ended.state, ended.reason) == (State.CANCELLED, "no need")
    assert flow.states(run) == {
        "up": "success", "work": "failed", "after": "skipped", "down": "success"
    }  # fmt: skip
    assert flow.reasons(run)["after"] == "not started: the run was cancelled"


def test_a_run_that_takes_too_long_clears_away_and_then_fails(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, cluster(timeout="5m", retries=3))
    run = at_work(flow)
    clock.advance(5 * 60_000)

    assert store.write(lambda tx: time_out(tx, limit=10)) == 1

    clock.advance(60 * 60_000)
    assert store.write(lambda tx: time_out(tx, limit=10)) == 0, "teardowns have their own time"
    assert look(store, run).state is State.SUSPENDED
    flow.end(run, "work", "abort")
    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    ended = look(store, run)
    assert (ended.state, ended.reason, ended.failures) == (State.FAILED, LATE, 0)
    assert letter_of(store, run).reason == LATE


def test_a_run_without_anything_to_clear_away_ends_at_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    waiting, begun = flow.submit(), flow.start()
    plain = Flow(store, worker, graph([node("a")], name="plain")).start()

    assert stop(store, waiting) is State.CANCELLED
    flow.claim()
    store.write(
        lambda tx: mark(tx, begun, "up", Ending.FAILED, namespace=HOME, reason="marked by ann")
    )
    flow.end(begun, "up", "abort")
    assert look(store, begun).state is State.FAILED
    assert stop(store, plain) is State.CANCELLED


def test_a_setup_that_succeeds_although_it_was_asked_to_stop_is_cleared_away(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, cluster())
    run = flow.start()
    flow.claim()

    assert stop(store, run) is State.SUSPENDED
    flow.end(run, "up")

    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    assert look(store, run).state is State.CANCELLED


def test_a_setup_that_stops_leaves_nothing_to_clear_away(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    run = flow.start()
    flow.claim()
    stop(store, run)

    flow.end(run, "up", "abort")

    assert look(store, run).state is State.CANCELLED
    assert flow.states(run)["down"] == "upstream_failed"


def test_a_second_cancel_changes_nothing_and_force_skips_the_teardowns(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    stop(store, run)
    flow.end(run, "work", "abort")
    (down,) = flow.claim()

    assert stop(store, run) is State.SUSPENDED
    assert not look(store, down.run_id).cancel_requested
    assert stop(store, run, force=True) is State.CANCELLED

    assert look(store, down.run_id).cancel_requested
    flow.end(run, "down", "abort")
    assert look(store, run).state is State.CANCELLED


def test_force_ends_a_run_at_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)

    assert stop(store, run, force=True) is State.CANCELLED

    flow.end(run, "work", "abort")
    assert flow.claim() == []


def test_teardowns_keep_their_order(store: Store, worker: str) -> None:
    nodes = [
        node("net", kind="setup"), node("disk", "net", kind="setup"), node("work", "disk"),
        node("undisk", "work", kind="teardown", setups=("disk",)),
        node("unnet", "undisk", kind="teardown", setups=("net",)),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    for name in ("net", "disk"):
        flow.claim()
        flow.end(run, name)
    flow.claim()
    stop(store, run)
    flow.end(run, "work", "abort")

    for name in ("undisk", "unnet"):
        assert look(store, run).state is State.SUSPENDED
        assert flow.running(run) == {name}
        flow.end(run, name)

    assert look(store, run).state is State.CANCELLED


@pytest.mark.parametrize(
    ("fails_run", "reason"),
    [
        pytest.param(False, "no need", id="tolerated"),
        pytest.param(True, "no need; teardown down failed: ValueError: broken", id="counted"),
    ],
)
def test_a_teardown_that_fails_does_not_change_how_the_run_ends(
    store: Store, worker: str, *, fails_run: bool, reason: str
) -> None:
    nodes = [
        node("up", kind="setup"), node("work", "up"),
        node("down", "work", kind="teardown", setups=("up",), fails_run=fails_run),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes, retries=2))
    run = at_work(flow)
    stop(store, run)
    flow.end(run, "work", "abort")
    flow.claim()

    flow.end(run, "down", "fail")

    ended = look(store, run)
    assert (ended.state, ended.reason) == (State.CANCELLED, reason)


def test_a_teardown_whose_worker_dies_is_carried_out_by_another(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    stop(store, run)
    flow.end(run, "work", "abort")
    flow.claim()
    clock.advance(LEASE_MS + 60_000)
    flow.worker = given_worker(store)

    assert store.write(lambda tx: reap(tx, limit=10)) == 1

    flow.leases.clear()
    (down,) = flow.claim()
    assert (down.node, down.attempt) == ("down", 2)
    flow.end(run, "down")
    assert look(store, run).state is State.CANCELLED


def test_work_whose_worker_dies_while_it_is_to_stop_does_not_run_again(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    stop(store, run)
    clock.advance(LEASE_MS + 60_000)
    flow.worker = given_worker(store)

    store.write(lambda tx: reap(tx, limit=10))

    flow.leases.clear()
    assert flow.running(run) == {"down"}


def test_a_paused_run_that_is_cancelled_clears_away(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    store.write(lambda tx: pause(tx, run, namespace=HOME))

    stop(store, run)

    flow.end(run, "work", "abort")
    assert flow.running(run) == {"down"}
    with pytest.raises(NotAllowed, match="is being ended: its teardowns run"):
        store.write(lambda tx: pause(tx, run, namespace=HOME))
    flow.end(run, "down")
    assert look(store, run).state is State.CANCELLED


def test_a_teardown_that_a_pause_holds_runs_when_the_run_is_cancelled(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    flow.end(run, "work")
    store.write(lambda tx: pause(tx, run, namespace=HOME))
    assert flow.running(run) == set()

    stop(store, run)

    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    assert look(store, run).state is State.CANCELLED


def test_a_failure_in_a_paused_run_that_fails_fast_clears_away(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster(mode="fail_fast"))
    run = at_work(flow)
    store.write(lambda tx: pause(tx, run, namespace=HOME))

    flow.end(run, "work", "fail")

    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    assert look(store, run).state is State.FAILED


def test_a_paused_map_of_which_nothing_runs_ends_with_the_run(store: Store, worker: str) -> None:
    nodes = [
        node("up", kind="setup"),
        node("each", "up", map=Map(over=[1, 2, 3], into="x", concurrency=1)),
        node("down", "each", kind="teardown", setups=("up",)),
    ]
    flow = Flow(store, worker, graph(nodes))
    run = at_work(flow)
    store.write(lambda tx: pause(tx, run, namespace=HOME))
    flow.end(run, "each", item=0)

    stop(store, run)

    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    assert look(store, run).state is State.CANCELLED


def test_a_teardown_that_hangs_can_be_marked(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    stop(store, run)
    flow.end(run, "work", "abort")
    flow.claim()

    store.write(
        lambda tx: mark(tx, run, "down", Ending.FAILED, namespace=HOME, reason="marked by ann")
    )

    assert look(store, run).state is State.CANCELLED


def outer(store: Store, worker: str, *more: Node, **fields: object) -> tuple[Flow, str, str]:
    """A graph around the cluster, whose work runs; and the run inside."""
    around = graph([Node(name="sub", graph="inner"), *more], **fields)
    flow = Flow(store, worker, cluster(name="inner"), around)
    run = flow.start()
    flow.claim()
    inner = next(str(row["run_id"]) for row in flow.rows(run) if row["name"] == "sub")
    flow.end(inner, "up")
    flow.claim()
    return flow, run, inner


def test_a_graph_inside_of_a_cancelled_one_clears_away_before_both_end(
    store: Store, worker: str
) -> None:
    flow, run, inner = outer(store, worker)

    assert stop(store, run) is State.SUSPENDED

    flow.end(inner, "work", "abort")
    assert flow.running(inner) == {"down"}
    assert look(store, run).state is State.SUSPENDED
    flow.end(inner, "down")
    assert look(store, inner).state is State.CANCELLED
    assert look(store, run).state is State.CANCELLED


def test_what_is_around_a_graph_is_cleared_away_after_what_is_inside(
    store: Store, worker: str
) -> None:
    around = graph([
        node("net", kind="setup"), Node(name="sub", graph="inner", after=("net",)),
        node("unnet", "sub", kind="teardown", setups=("net",)),
    ])  # fmt: skip
    flow = Flow(store, worker, cluster(name="inner"), around)
    run = flow.start()
    flow.claim()
    flow.end(run, "net")
    flow.claim()
    inner = next(str(row["run_id"]) for row in flow.rows(run) if row["name"] == "sub")
    flow.end(inner, "up")
    flow.claim()

    stop(store, run)

    flow.end(inner, "work", "abort")
    assert (flow.running(inner), flow.running(run)) == ({"down"}, set())
    flow.end(inner, "down")
    assert flow.running(run) == {"unnet"}
    flow.end(run, "unnet")
    assert look(store, run).state is State.CANCELLED


def test_a_graph_inside_of_one_that_fails_fast_clears_away(store: Store, worker: str) -> None:
    flow, run, inner = outer(store, worker, node("bad"), mode="fail_fast")

    flow.end(run, "bad", "fail")

    flow.end(inner, "work", "abort")
    assert flow.running(inner) == {"down"}
    flow.end(inner, "down")
    ended = look(store, run)
    assert (ended.state, ended.reason) == (State.FAILED, "node bad failed: ValueError: broken")


def test_a_graph_inside_may_finish_when_the_mode_lets_what_runs_finish(
    store: Store, worker: str
) -> None:
    flow, run, inner = outer(store, worker, node("bad"), mode="finish")

    flow.end(run, "bad", "fail")

    assert not look(store, inner).cancel_requested
    for name in ("work", "after", "down"):
        flow.claim()
        flow.end(inner, name)
    assert look(store, inner).state is State.SUCCESS
    assert look(store, run).state is State.FAILED


def test_force_goes_through_to_graphs_inside(store: Store, worker: str) -> None:
    flow, run, inner = outer(store, worker)

    assert stop(store, run, force=True) is State.CANCELLED

    assert look(store, inner).state is State.CANCELLED
    flow.end(inner, "work", "abort")
    assert flow.claim() == []


def test_a_run_that_clears_away_keeps_its_place_among_the_runs_of_its_graph(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, cluster(max_runs=1))
    run = at_work(flow)
    other = flow.start()
    stop(store, run)
    flow.end(run, "work", "abort")
    flow.begin()
    assert look(store, other).state is State.PENDING

    flow.claim()
    flow.end(run, "down")

    assert flow.running(other) == {"up"}


def test_the_last_teardown_told_twice_ends_the_run_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    stop(store, run)
    flow.end(run, "work", "abort")
    (down,) = flow.claim()

    for _ in range(2):
        store.write(lambda tx: finish(tx, [verdict_of(down)], namespace=HOME))

    assert look(store, run).state is State.CANCELLED


def test_an_old_fence_ends_nothing(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cluster())
    run = at_work(flow)
    stale = Verdict(run_id=run, fence=look(store, run).fence - 1, verb="cancel", reason="late")

    assert store.write(lambda tx: finish(tx, [stale], namespace=HOME)) == [run]

    assert not look(store, run).cancel_requested
    assert not look(store, flow.leases[run, "work", None].run_id).cancel_requested


def test_nobody_is_notified_of_a_run_that_was_cancelled(store: Store, worker: str) -> None:
    nodes = [
        node("up", kind="setup"), node("work", "up"),
        node("down", "work", kind="teardown", setups=("up",)),
        node("tell", "work", kind="notify", join="one_failed"),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes))
    run = at_work(flow)
    stop(store, run)

    flow.end(run, "work", "abort")

    assert flow.running(run) == {"down"}
    flow.end(run, "down")
    assert look(store, run).state is State.CANCELLED
    assert flow.states(run)["tell"] == "skipped"
