"""Runs of one graph that take turns: so many at once, one after the other, and who is next."""

from __future__ import annotations

from rota.engine.runs.cancel import cancel
from rota.engine.runs.expire import expire
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, given_run, look
from tests.contract.graphs.builders import Flow, forget_courses, graph, node


def test_runs_claimed_together_respect_max_runs(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=2))
    runs = [flow.submit() for _ in range(4)]

    flow.begin()

    assert [look(store, run).state for run in runs] == [
        State.SUSPENDED, State.SUSPENDED, State.PENDING, State.PENDING
    ]  # fmt: skip


def test_max_runs_limits_the_runs_of_a_graph(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1))
    first, second, third = (flow.start() for _ in range(3))

    assert [look(store, run).state for run in (first, second, third)] == [
        State.SUSPENDED, State.PENDING, State.PENDING
    ]  # fmt: skip
    for run in (first, second, third):
        assert flow.running(run) == {"a"}
        flow.end(run, "a")
        assert look(store, run).state is State.SUCCESS


def test_a_run_that_depends_on_the_one_before(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], depends_on_past=True))
    first, second = flow.start(), flow.start()
    assert look(store, second).state is State.PENDING
    assert flow.running(first) == {"a"}

    flow.end(first, "a", "fail")
    flow.begin()

    ended = look(store, second)
    assert ended.state is State.FAILED
    assert ended.error is not None
    assert f"the run before it, {first}, ended as failed" in ended.error.message


def test_a_run_goes_on_when_the_one_before_it_is_cancelled_unbegun(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a")], depends_on_past=True))
    first, second, third = flow.start(), flow.start(), flow.start()
    assert flow.running(first) == {"a"}
    flow.end(first, "a")
    flow.begin()
    assert look(store, second).state is State.SUSPENDED
    forget_courses(store)

    store.write(lambda tx: cancel(tx, second, namespace=HOME))
    flow.begin()

    ended = look(store, third)
    assert ended.state is State.FAILED
    assert ended.error is not None
    assert f"the run before it, {second}, ended as cancelled" in ended.error.message


def test_a_waiting_run_that_is_cancelled_wakes_the_next(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], depends_on_past=True))
    first, second, third = flow.start(), flow.start(), flow.start()
    flow.running(first)
    store.write(lambda tx: cancel(tx, second, namespace=HOME))

    flow.begin()

    assert look(store, third).state is State.FAILED
    assert look(store, first).state is State.SUSPENDED


def test_a_run_that_expires_when_its_turn_has_come_wakes_the_next(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1))
    first = flow.start()
    second = given_run(store, job="flow", version=flow.version, expires_ms=1_000)
    third = flow.start()
    flow.running(first)
    clock.advance(2_000)
    flow.end(first, "a")

    assert store.write(lambda tx: expire(tx, limit=9)) == 1

    assert look(store, second).state is State.FAILED
    assert flow.running(third) == {"a"}


def test_runs_after_a_failed_one_fail_in_turn(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], depends_on_past=True))
    first, second, third = flow.start(), flow.start(), flow.start()
    flow.running(first)
    flow.end(first, "a", "fail")

    for _ in range(2):
        flow.begin()

    assert [look(store, run).state for run in (second, third)] == [State.FAILED, State.FAILED]
