"""Parents that end at the same moment, on many connections: their child is released once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from rota.engine.runs.cancel import cancel
from rota.engine.runs.finish import finish
from rota.errors import NotAllowed
from rota.model.graphs.graph import Map, Node
from rota.model.runs.run import Verdict
from rota.model.states import FINAL, State
from rota.store.base import Store
from tests.contract.builders import HOME, cancel_run, given_worker, look
from tests.contract.graphs.builders import Flow, forget_courses, graph, node
from tests.contract.store.interleaved import await_lock_wait, held_open, start

THREADS = 6


def at_once(store: Store, batches: list[list[Verdict]]) -> None:
    """Each batch in a thread and a transaction of its own, all begun together."""
    barrier = Barrier(len(batches))

    def end(batch: list[Verdict]) -> None:
        barrier.wait(30)
        assert store.write(lambda tx: finish(tx, batch, namespace=HOME)) == []

    with ThreadPoolExecutor(len(batches)) as pool:
        for each in [pool.submit(end, batch) for batch in batches]:
            each.result(60)


def test_the_child_of_many_parents_is_released_once(store: Store, worker: str) -> None:
    parents = [f"p{at}" for at in range(THREADS)]
    flow = Flow(store, worker, graph([*map(node, parents), node("child", *parents)]))
    runs = [flow.start() for _ in range(8)]
    flow.claim()

    at_once(store, [[flow.verdict(run, name) for run in runs] for name in parents])

    released = Counter(lease.parent_id for lease in flow.claim())
    assert released == dict.fromkeys(runs, 1)


def test_the_run_ends_once_though_its_last_nodes_end_together(store: Store, worker: str) -> None:
    names = [f"p{at}" for at in range(THREADS)]
    flow = Flow(store, worker, graph(map(node, names)))
    runs = [flow.start() for _ in range(8)]
    flow.claim()
    forget_courses(store)

    at_once(store, [[flow.verdict(run, name) for run in runs] for name in names])

    assert {look(store, run).state for run in runs} == {State.SUCCESS}


def test_crossing_graphs_do_not_lock_each_other_out(store: Store, worker: str) -> None:
    """Waves go through the same nodes in different orders; nothing is lost by a deadlock."""
    nodes = [
        node("a"), node("b"), node("c", "a", join="one_done"), node("d", "b", join="one_done"),
        node("e", "c", "b", join="all_done"), node("f", "d", "a", join="all_done"),
        node("g", "e", "f", join="all_done"),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes))
    runs = [flow.start() for _ in range(6)]
    while flow.claim():
        names = sorted({name for _, name, _ in flow.leases})
        batches = [
            [flow.verdict(*at) for at in list(flow.leases) if at[1] == name] for name in names
        ]
        at_once(store, batches)

    assert {look(store, run).state for run in runs} == {State.SUCCESS}


def test_instances_that_end_together_are_counted_each(store: Store, worker: str) -> None:
    mapped = Map(over=list(range(60)), into="x", concurrency=30)
    nodes = [Node(name="each", job="work", map=mapped), node("last", "each")]
    flow = Flow(store, worker, graph(nodes))
    run = flow.start()
    seen = Counter[int | None]()
    while leases := [lease for lease in flow.claim() if lease.node == "each"]:
        seen.update(lease.item for lease in leases)
        verdicts = [flow.verdict(run, "each", lease.item) for lease in leases]
        at_once(store, [part for at in range(THREADS) if (part := verdicts[at::THREADS])])

    assert seen == dict.fromkeys(range(60), 1)
    assert flow.running(run) == {"last"}


def test_a_cancel_and_the_last_ending_leave_one_end(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    for _ in range(12):
        run = flow.start()
        flow.claim()
        verdict = flow.verdict(run, "a")
        barrier = Barrier(2)

        def stop(run: str = run, barrier: Barrier = barrier) -> None:
            barrier.wait(30)
            try:
                store.write(lambda tx: cancel(tx, run, namespace=HOME))
            except NotAllowed:
                raise AssertionError("it cannot have ended: b was not run") from None

        def end(verdict: Verdict = verdict, barrier: Barrier = barrier) -> None:
            barrier.wait(30)
            store.write(lambda tx: finish(tx, [verdict], namespace=HOME))

        with ThreadPoolExecutor(2) as pool:
            for each in [pool.submit(stop), pool.submit(end)]:
                each.result(60)

        assert look(store, run).state is State.CANCELLED
        assert flow.claim() == []
        assert set(flow.states(run).values()) <= {"success", "skipped", "failed"}
        assert look(store, verdict.run_id).state in FINAL


def test_a_cancel_and_the_end_of_the_work_let_the_teardown_run_once(
    store: Store, worker: str
) -> None:
    nodes = [
        node("up", kind="setup"), node("a", "up"), node("b", "a"),
        node("down", "b", kind="teardown", setups=("up",)),
    ]  # fmt: skip
    flow = Flow(store, worker, graph(nodes))
    for _ in range(8):
        run = flow.start()
        flow.claim()
        flow.end(run, "up")
        flow.claim()
        verdict = flow.verdict(run, "a")
        barrier = Barrier(2)

        def stop(run: str = run, barrier: Barrier = barrier) -> State:
            barrier.wait(30)
            return store.write(lambda tx: cancel(tx, run, namespace=HOME))

        def end(verdict: Verdict = verdict, barrier: Barrier = barrier) -> None:
            barrier.wait(30)
            store.write(lambda tx: finish(tx, [verdict], namespace=HOME))

        with ThreadPoolExecutor(2) as pool:
            stopped, ended = pool.submit(stop), pool.submit(end)
            ended.result(60)
            assert stopped.result(60) is State.SUSPENDED

        assert [lease.node for lease in flow.claim()] == ["down"]
        flow.end(run, "down")
        assert look(store, run).state is State.CANCELLED
        assert flow.states(run)["b"] == "skipped"


@pytest.mark.postgres
def test_a_cancel_waits_for_instances_that_are_being_made(postgres_store: Store) -> None:
    mapped = Map(over=list(range(10)), into="x", concurrency=3)
    nodes = [Node(name="each", job="work", map=mapped)]
    flow = Flow(postgres_store, given_worker(postgres_store), graph(nodes))
    run = flow.start()
    flow.claim()
    done = flow.verdict(run, "each", 0)

    with held_open(postgres_store, lambda tx: finish(tx, [done], namespace=HOME)):
        answer = start(lambda: cancel_run(postgres_store, run))
        await_lock_wait(postgres_store.url)

    assert answer.result(20) is State.CANCELLED
    assert flow.claim() == []
