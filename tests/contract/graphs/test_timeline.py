"""When the nodes of a run waited and ran, attempt by attempt."""

from __future__ import annotations

from rota.engine.graphs.views.timeline import timeline
from rota.engine.runs.finish import finish
from rota.engine.runs.promote import promote
from rota.model.graphs.graph import Map
from rota.model.graphs.timeline import Timeline, TimelineTrack
from rota.model.runs.run import Verdict
from rota.store.base import Store
from tests.contract.builders import ERROR, HOME, Clock, look
from tests.contract.graphs.builders import Flow, graph, node


def read(store: Store, run_id: str) -> Timeline:
    return store.read(lambda tx: timeline(tx, run_id, namespace=HOME))


def seconds(track: TimelineTrack) -> list[tuple[str, int]]:
    """Parts in whole seconds, by which tests move the clock; shorter ones are left out."""
    spans = [(each.part, each.end_at - each.start_at) for each in track.stretches]
    found = [(part, round(length.total_seconds())) for part, length in spans]
    return [(part, length) for part, length in found if length]


def test_a_node_waits_and_runs(store: Store, worker: str, clock: Clock) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    run = flow.start()
    clock.advance(2_000)
    flow.claim()
    clock.advance(5_000)
    flow.end(run, "a")
    clock.advance(1_000)

    a, b = read(store, run).tracks

    assert seconds(a) == [("queued", 2), ("running", 5)]
    assert (a.state, a.attempts) == ("success", 1)
    assert seconds(b) == [("queued", 1)]


def test_an_attempt_that_failed_is_a_part_of_its_own(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    run = flow.start()
    (lease,) = flow.claim()
    clock.advance(3_000)
    again = Verdict(
        run_id=lease.run_id, fence=lease.fence, verb="retry", kind="error", error=ERROR,
        delay_ms=1_000, parent_id=run, node="a",
    )  # fmt: skip
    store.write(lambda tx: finish(tx, [again], namespace=HOME))
    clock.advance(2_000)
    store.write(lambda tx: promote(tx, limit=10))
    flow.claim()
    clock.advance(4_000)
    flow.end(run, "a")

    (a,) = read(store, run).tracks

    assert seconds(a) == [("failed", 3), ("queued", 2), ("running", 4)]
    assert a.attempts == 2


def test_an_attempt_that_starts_within_the_millisecond_of_the_one_before_is_seen_running(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    run = flow.start()
    (lease,) = flow.claim()
    again = Verdict(
        run_id=lease.run_id, fence=lease.fence, verb="retry", kind="error", error=ERROR,
        delay_ms=0, parent_id=run, node="a",
    )  # fmt: skip
    store.write(lambda tx: finish(tx, [again], namespace=HOME))
    store.write(lambda tx: promote(tx, limit=10))
    flow.claim()
    clock.advance(4_000)

    (a,) = read(store, run).tracks

    assert [each.part for each in a.stretches] == ["failed", "running"]
    assert (seconds(a), a.attempts) == ([("running", 4)], 2)


def test_a_run_that_failed_for_good_has_no_part_twice(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    run = flow.start()
    flow.claim()
    clock.advance(3_000)
    flow.end(run, "a", "fail")

    seen = read(store, run)

    assert seconds(seen.tracks[0]) == [("failed", 3)]
    assert (seen.tracks[0].attempts, look(store, run).state) == (1, "failed")


def test_instances_of_a_map_are_one_track(store: Store, worker: str, clock: Clock) -> None:
    flow = Flow(store, worker, graph([node("m", map=Map(over=[1, 2, 3], into="x"))]))
    run = flow.start()
    clock.advance(1_000)
    flow.claim()
    for item in range(3):
        clock.advance(2_000)
        flow.end(run, "m", item=item)

    (m,) = read(store, run).tracks

    assert (m.instances, seconds(m)) == (3, [("queued", 1), ("running", 6)])


def test_a_map_that_was_done_within_a_millisecond_has_run(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("m", map=Map(over=[1], into="x"))]))
    run = flow.start()
    flow.claim()
    flow.end(run, "m", item=0)

    (m,) = read(store, run).tracks

    assert [each.part for each in m.stretches] == ["running"]


def test_a_run_that_is_no_graph_is_its_own_track(store: Store, worker: str, clock: Clock) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    flow.start()
    (lease,) = flow.claim()
    clock.advance(2_000)

    seen = read(store, lease.run_id)

    assert [track.name for track in seen.tracks] == ["work"]
    assert seconds(seen.tracks[0]) == [("running", 2)]
