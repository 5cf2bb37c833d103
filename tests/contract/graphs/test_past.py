"""A graph that depends on its past: what counts as good, and how people mend what is not."""

from __future__ import annotations

from typing import Any

from rota.engine.failures.redrive import RedrivePair
from rota.engine.graphs.control import mark, rerun_graph
from rota.engine.insight.why import why
from rota.engine.prune import DAY_MS, Retention, prune
from rota.engine.runs.bulk import rerun_all
from rota.engine.runs.cancel import cancel
from rota.engine.runs.rerun import rerun as rerun_run
from rota.ids import new_id
from rota.model.graphs.graph import Map, Node
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, look, run_sql
from tests.contract.failures.dead_letter_builders import discard_all, letter_of, redrive_all
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.backfill_builders import begin as begin_backfill
from tests.contract.schedules.backfill_builders import fill_some
from tests.contract.schedules.builders import HOUR, every, fire_some, origin_of, put, runs_of


def past(store: Store, worker: str, **fields: Any) -> Flow:
    return Flow(store, worker, graph([node("a")], depends_on_past=True, **fields))


def ended(flow: Flow, run: str, verb: str = "succeed") -> State:
    """The run begins, if it may, and its node ends like this."""
    if flow.running(run):
        flow.end(run, "a", verb)  # type: ignore[arg-type]
    flow.begin()
    return look(flow.store, run).state


def again(flow: Flow, run: str) -> str:
    fresh = new_id()
    flow.store.write(lambda tx: rerun_run(tx, run, namespace=HOME, new_id=fresh, who="ann"))
    flow.begin()
    return fresh


def three(flow: Flow) -> tuple[str, str, str]:
    """One that succeeded, one that failed, and one that failed because of that."""
    first, second, third = flow.submit(), flow.submit(), flow.submit()
    flow.begin()
    assert ended(flow, first) is State.SUCCESS
    assert ended(flow, second, "fail") is State.FAILED
    assert ended(flow, third) is State.FAILED
    return first, second, third


def test_a_rerun_does_not_wait_for_its_original_and_mends_the_past(
    store: Store, worker: str
) -> None:
    flow = past(store, worker)
    _, second, third = three(flow)

    assert ended(flow, again(flow, second)) is State.SUCCESS
    assert ended(flow, again(flow, third)) is State.SUCCESS

    fourth = flow.start()
    assert ended(flow, fourth) is State.SUCCESS


def test_a_run_that_fails_because_of_the_previous_one_says_so(store: Store, worker: str) -> None:
    flow = past(store, worker)
    _, second, third = three(flow)

    says = (
        f"the run before it, {second}, ended as failed, and the graph depends on its past; "
        "rerun that one, then this one"
    )

    failed = look(store, third)
    assert failed.reason == says
    assert failed.error is not None
    assert (failed.error.type, failed.error.message) == ("PastFailed", says)
    assert letter_of(store, third).reason == says


def test_a_rerun_before_the_past_is_mended_fails_again(store: Store, worker: str) -> None:
    flow = past(store, worker)
    _, _, third = three(flow)

    assert ended(flow, again(flow, third)) is State.FAILED


def test_reruns_that_are_asked_for_in_any_order_go_in_the_order_of_their_originals(
    store: Store, worker: str
) -> None:
    flow = past(store, worker)
    _, second, third = three(flow)
    later = again(flow, third)
    assert look(store, later).state is State.FAILED, "nobody mends it yet"

    pairs = [RedrivePair(run, new_id()) for run in (third, second)]
    store.write(lambda tx: rerun_all(tx, pairs, namespace=HOME, who="ann"))
    (of_third, of_second) = (pair.rerun_id for pair in pairs)
    fourth = flow.start()

    assert flow.running(of_second) == {"a"}
    assert look(store, of_third).state is State.PENDING
    says = [reason.says for reason in store.read(lambda tx: why(tx, of_third, namespace=HOME))]
    assert says == [f"it depends on the run before it, {of_second}, which is suspended"]
    for run in (of_second, of_third, fourth):
        assert ended(flow, run) is State.SUCCESS


def test_a_rerun_of_a_rerun_mends_too(store: Store, worker: str) -> None:
    flow = past(store, worker)
    _, second, _ = three(flow)
    once = again(flow, second)
    assert ended(flow, once, "fail") is State.FAILED

    assert ended(flow, again(flow, once)) is State.SUCCESS

    assert ended(flow, flow.start()) is State.FAILED, "the third one is not mended"
    assert ended(flow, again(flow, three_of(flow)[2])) is State.SUCCESS


def three_of(flow: Flow) -> list[str]:
    """The runs that are no reruns, in order."""
    rows = run_sql(
        flow.store.url,
        "select id from rota.run_history where job = 'flow' and rerun_of is null order by id",
    )
    return [str(row[0]) for row in rows]


def test_a_redrive_and_a_rerun_of_some_nodes_mend(store: Store, worker: str) -> None:
    flow = past(store, worker)
    _, second, third = three(flow)

    (redriven,) = redrive_all(store, [second])
    flow.begin()
    assert ended(flow, redriven.rerun_id) is State.SUCCESS
    fresh = new_id()
    store.write(
        lambda tx: rerun_graph(tx, third, namespace=HOME, new_id=fresh, who="ann", part="failed")
    )

    assert ended(flow, fresh) is State.SUCCESS
    assert ended(flow, flow.start()) is State.SUCCESS


def test_a_run_whose_node_was_marked_as_a_success_is_good(store: Store, worker: str) -> None:
    flow = past(store, worker)
    first, second = flow.start(), flow.start()
    flow.claim()
    store.write(
        lambda tx: mark(tx, first, "a", Ending.SUCCESS, namespace=HOME, reason="marked by ann")
    )
    flow.end(first, "a", "abort")

    assert ended(flow, second) is State.SUCCESS


def test_the_graph_goes_on_without_a_run_whose_letter_was_discarded(
    store: Store, worker: str
) -> None:
    flow = past(store, worker)
    _, second, third = three(flow)

    discard_all(store, [second, third])

    assert ended(flow, flow.start()) is State.SUCCESS


def test_the_graph_goes_on_without_a_run_whose_rerun_was_discarded(
    store: Store, worker: str
) -> None:
    flow = past(store, worker)
    first = flow.start()
    store.write(lambda tx: cancel(tx, first, namespace=HOME))
    assert ended(flow, flow.start()) is State.FAILED
    (_, last) = three_of(flow)
    fresh = again(flow, first)
    assert ended(flow, fresh, "fail") is State.FAILED

    discard_all(store, [fresh, last])

    assert ended(flow, flow.start()) is State.SUCCESS


def test_a_cancelled_run_is_no_good_past_until_it_is_run_again(store: Store, worker: str) -> None:
    flow = past(store, worker)
    first = flow.start()
    store.write(lambda tx: cancel(tx, first, namespace=HOME))
    second = flow.start()
    assert look(store, second).state is State.FAILED

    assert ended(flow, again(flow, first)) is State.SUCCESS

    assert ended(flow, again(flow, second)) is State.SUCCESS


def test_a_skipped_run_is_passed_over(store: Store, worker: str) -> None:
    flow = past(store, worker)
    first, skipped = flow.start(), flow.submit()
    assert ended(flow, first, "fail") is State.FAILED
    flow.begin()
    run_sql(store.url, f"update rota.run_history set state = 'skipped' where id = '{skipped}'")

    third = flow.start()

    assert f"the run before it, {first}," in str(look(store, third).reason)


def test_an_old_failure_that_was_mended_stays_so_when_history_forgets_how(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = past(store, worker)
    first = flow.start()
    assert ended(flow, first, "fail") is State.FAILED
    assert ended(flow, again(flow, first)) is State.SUCCESS
    clock.advance(8 * DAY_MS)
    store.write(lambda tx: prune(tx, Retention(), limit=1_000))
    assert look(store, first).state is State.FAILED

    second = flow.start()
    assert ended(flow, second) is State.SUCCESS
    clock.advance(8 * DAY_MS)
    store.write(lambda tx: prune(tx, Retention(), limit=1_000))

    assert ended(flow, flow.start()) is State.SUCCESS
    clock.advance(31 * DAY_MS)
    store.write(lambda tx: prune(tx, Retention(), limit=1_000))
    assert run_sql(store.url, "select count(*) from rota.past_success") == [(0,)]


def scheduled(store: Store, worker: str, **fields: Any) -> Flow:
    flow = past(store, worker)
    put(store, every("1h", **fields), job="flow")
    return flow


def test_a_run_of_a_schedule_depends_on_the_instant_before_and_not_on_runs_by_hand(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = scheduled(store, worker)
    clock.advance(HOUR)
    fire_some(store)
    (first,) = runs_of(store)
    assert ended(flow, first.id) is State.SUCCESS
    by_hand = flow.start()
    assert ended(flow, by_hand, "fail") is State.FAILED
    clock.advance(HOUR)
    fire_some(store)
    flow.begin()

    second = runs_of(store)[-1]

    assert ended(flow, second.id) is State.SUCCESS


def test_a_backfill_in_parallel_goes_in_the_order_of_its_instants(
    store: Store, worker: str
) -> None:
    flow = scheduled(store, worker)
    begin_backfill(store, parallel=3)
    fill_some(store)
    flow.begin()
    order: list[int] = []

    while live := [run for run in runs_of(store) if run.state is State.SUSPENDED]:
        (run,) = live
        order.append(origin_of(run).scheduled_for)
        ended(flow, run.id)

    assert len(order) == 3
    assert order == sorted(order)


def test_a_backfill_that_fails_in_the_past_does_not_stop_what_comes_now(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = scheduled(store, worker)
    clock.advance(HOUR)
    fire_some(store)
    (now,) = runs_of(store)
    assert ended(flow, now.id) is State.SUCCESS
    begin_backfill(store, parallel=3)
    fill_some(store)
    flow.begin()
    oldest = min(runs_of(store), key=lambda run: origin_of(run).scheduled_for)
    assert ended(flow, oldest.id, "fail") is State.FAILED
    for _ in range(3):
        flow.begin()
    filled = [run for run in runs_of(store) if run.backfill_id is not None]
    assert {run.state for run in filled} == {State.FAILED}
    clock.advance(HOUR)
    fire_some(store)
    flow.begin()

    latest = max(runs_of(store), key=lambda run: origin_of(run).scheduled_for)

    assert ended(flow, latest.id) is State.SUCCESS


def test_newest_first_a_backfill_does_not_wait_for_what_is_not_there_yet(
    store: Store, worker: str
) -> None:
    flow = scheduled(store, worker)
    begin_backfill(store, parallel=1, newest_first=True)

    done: list[int] = []
    for _ in range(3):
        fill_some(store)
        flow.begin()
        (run,) = [run for run in runs_of(store) if run.state is State.SUSPENDED]
        done.append(origin_of(run).scheduled_for)
        ended(flow, run.id)

    assert done == sorted(done, reverse=True)
    assert {run.state for run in runs_of(store)} == {State.SUCCESS}


def inner_runs(flow: Flow) -> list[str]:
    rows = run_sql(
        flow.store.url,
        "select id from rota.run where job = 'inner' union all "
        "select id from rota.run_history where job = 'inner' order by id",
    )
    return [str(row[0]) for row in rows]


def test_a_node_of_a_rerun_does_not_wait_for_that_of_the_original(
    store: Store, worker: str, clock: Clock
) -> None:
    inner = graph([node("a")], name="inner", depends_on_past=True)
    flow = Flow(store, worker, inner, graph([Node(name="sub", graph="inner")]))

    def begun() -> str:
        """The newest run inside, after all have begun that may."""
        flow.begin()
        flow.begin()
        clock.advance(10)
        return inner_runs(flow)[-1]

    one = flow.start()
    assert ended(flow, begun(), "fail") is State.FAILED
    two = flow.start()
    assert look(store, begun()).state is State.FAILED
    assert look(store, two).state is State.FAILED, "what is inside depends on its past"

    for run in (one, two):
        fresh = again(flow, run)
        assert ended(flow, begun()) is State.SUCCESS
        assert look(store, fresh).state is State.SUCCESS


def test_items_of_a_graph_that_depends_on_its_past_go_one_after_the_other(
    store: Store, worker: str
) -> None:
    inner = graph([node("a")], name="inner", depends_on_past=True)
    sub = Node(name="sub", graph="inner", map=Map(over=[1, 2, 3]))
    flow = Flow(store, worker, inner, graph([sub]))
    run = flow.start()
    flow.begin()

    for each in inner_runs(flow):
        assert flow.running(each) == {"a"}
        assert ended(flow, each) is State.SUCCESS

    assert look(store, run).state is State.SUCCESS
