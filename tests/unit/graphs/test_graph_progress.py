"""How far a run of a graph is, and what past runs tell of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from rota.clock import moment
from rota.model.graphs.run_nodes import Progress
from rota.rules.graphs import taken_path
from rota.rules.graphs.progress import NodeDuration, Stand, progress_of

NOW = 1_000_000


def stand(name: str, *parents: str, state: str = "pending", **facts: Any) -> Stand:
    return Stand(name=name, state=state, parents=parents, **facts)


def took(*spans: int) -> list[NodeDuration]:
    return [NodeDuration(took_ms=each) for each in spans]


def look(stands: list[Stand], **past: list[NodeDuration]) -> Progress:
    return progress_of(stands, past, now=NOW)


def test_nodes_are_counted_by_state() -> None:
    seen = look([stand("a", state="success"), stand("b", "a", state="skipped"), stand("c", "b")])

    assert (seen.done, seen.total) == (2, 3)
    assert seen.states == {"pending": 1, "skipped": 1, "success": 1}
    assert seen.share == pytest.approx(2 / 3)


def test_the_longest_way_decides_and_not_the_number_of_nodes() -> None:
    stands = [stand("a"), stand("b", "a"), stand("c", "b"), stand("long", "a"), stand("z", "long")]

    seen = look(stands, a=took(10), b=took(5), c=took(5), long=took(100), z=took(1))

    assert seen.critical_path == ("a", "long", "z")
    assert (seen.left_ms, seen.ends_at) == (111, moment(NOW + 111))


def test_the_middle_of_the_past_counts_and_what_has_run_is_taken_off() -> None:
    running = stand("a", state="active", started_at=NOW - 40)

    assert look([running], a=took(90, 100, 5_000)).left_ms == 60


def test_a_node_that_takes_longer_than_ever_may_end_any_moment() -> None:
    assert look([stand("a", state="active", started_at=NOW - 500)], a=took(100)).left_ms == 0


def test_a_mapped_node_goes_on_at_its_own_pace() -> None:
    running = stand("m", state="active", started_at=NOW - 100, width=50, ended=10)

    seen = look([running], m=[NodeDuration(took_ms=1, instances=1)])

    assert seen.left_ms == 400
    assert seen.share == pytest.approx(0.2)


def test_before_a_map_begins_the_past_tells_its_pace_and_its_width() -> None:
    past = [NodeDuration(took_ms=200, instances=100, width=1_000)]

    assert look([stand("m")], m=past).left_ms == 2_000
    assert look([stand("m", width=10)], m=past).left_ms == 20


def test_nothing_is_guessed_of_what_is_not_known() -> None:
    seen = look([stand("a"), stand("b", "a")])

    assert (seen.left_ms, seen.ends_at, seen.unknown) == (None, None, 2)
    assert seen.critical_path == ("a", "b")
    assert look([stand("a"), stand("b", "a")], b=took(7)).left_ms == 7


def test_a_run_that_has_ended_has_nothing_left() -> None:
    seen = look([stand("a", state="success"), stand("b", state="failed")])

    assert (seen.done, seen.share, seen.critical_path, seen.left_ms) == (2, 1.0, (), None)


def test_what_was_waited_for_last_is_the_way_that_was_taken() -> None:
    parents = {"a": (), "b": (), "join": ("a", "b"), "left out": ("a",), "z": ("join", "left out")}

    assert taken_path(parents, {"a": 5, "b": 9, "join": 12, "z": 13}) == ["b", "join", "z"]
    assert taken_path(parents, {"a": 5}) == ["a"]
    assert taken_path(parents, {}) == []
    for order in (("b", "join", "z"), ("z", "join", "b")):
        assert taken_path(parents, dict.fromkeys(order, 9)) == ["b", "join", "z"]
