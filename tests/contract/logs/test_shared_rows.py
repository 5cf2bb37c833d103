"""Sheaves: lines of many runs in one row are each run's own, and are found like any other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from rota.clock import moment
from rota.engine.logs import LogCursor, append, ends, index, read, search
from rota.errors import UnknownRun
from rota.ids import derived_id
from rota.model.logs.log import FoundLine, LogChunk
from rota.rules.shared_log_rows import NEAR_MS, Parts, first_near, shared_row
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS

both_sides = pytest.mark.parametrize("is_indexed", [False, True], ids=["fresh", "indexed"])


def ids_of(*turns: int) -> list[str]:
    """Ids of runs that were submitted in one moment, one after the other."""
    return [derived_id(START_MS, turn, "run") for turn in turns]


def bound(
    *said: tuple[str, Sequence[str]], attempt: int = 1, fence: int = 1, at: int = START_MS
) -> LogChunk:
    number = len(said)
    parts = Parts(
        [run_id for run_id, _ in said],
        [attempt] * number,
        [fence] * number,
        [at] * number,
        [len(lines) for _, lines in said],
    )
    return shared_row("noop", parts, "\n".join(line for _, lines in said for line in lines))


def row(run_id: str, *lines: str, **fields: Any) -> LogChunk:
    given: dict[str, Any] = {"job": "noop", "attempt": 1, "fence": 1, "seq": 1} | fields
    marks = json.dumps([len(lines), 0, 1, 0])
    body = "\n".join(lines)
    return LogChunk(run_id=run_id, first_at=START_MS, marks=marks, body=body, **given)


def keep(store: Store, *chunks: LogChunk, **options: Any) -> None:
    given = {"namespace": HOME} | options
    store.write(lambda tx: append(tx, chunks, **given))


def lines_of(store: Store, run_id: str, **options: Any) -> list[FoundLine]:
    asked = {"namespace": HOME} | options
    return store.read(lambda tx: read(tx, run_id, **asked))


def texts_of(store: Store, run_id: str, **options: Any) -> list[str]:
    return [line.text for line in lines_of(store, run_id, **options)]


def found(store: Store, text: str, **options: Any) -> list[tuple[str, str]]:
    asked = {"namespace": HOME} | options
    lines = store.read(lambda tx: search(tx, text, **asked))
    return [(line.run_id, line.text) for line in lines]


def test_each_run_has_its_own_lines(store: Store) -> None:
    one, two, three = ids_of(1, 2, 3)
    keep(store, bound((two, ["b"]), (one, ["a1", "a2"]), (three, ["c"]), attempt=2, fence=7))

    lines = lines_of(store, one)

    assert [(line.seq, line.text) for line in lines] == [(1, "a1"), (2, "a2")]
    assert {(line.run_id, line.job, line.attempt, line.fence, line.at) for line in lines} == {
        (one, "noop", 2, 7, moment(START_MS))
    }
    assert texts_of(store, two) == ["b"]
    assert texts_of(store, three) == ["c"]


def test_a_run_between_them_that_said_nothing_has_no_lines(store: Store) -> None:
    first, between, last = ids_of(1, 2, 3)
    keep(store, bound((first, ["a"]), (last, ["b"])))

    with pytest.raises(UnknownRun):
        lines_of(store, between)


@pytest.mark.parametrize("place", [0, NEAR_MS - 1])
def test_a_run_is_found_wherever_it_is_among_those_near(store: Store, place: int) -> None:
    near_ms = START_MS // NEAR_MS * NEAR_MS
    first, last = derived_id(near_ms, 0, "first"), derived_id(near_ms + NEAR_MS - 1, 9, "last")
    run_id = derived_id(near_ms + place, 5, "run")
    keep(store, bound((first, ["a"]), (run_id, ["mine"]), (last, ["b"])))

    assert first_near(run_id) <= first
    assert texts_of(store, run_id) == ["mine"]


def test_other_claims_of_a_run_come_in_their_order_wherever_they_are(store: Store) -> None:
    run_id, other = ids_of(1, 2)
    keep(store, row(run_id, "third", fence=3), row(run_id, "first", fence=1))
    keep(store, bound((run_id, ["second"]), (other, ["-"]), fence=2))

    assert texts_of(store, run_id) == ["first", "second", "third"]
    assert texts_of(store, run_id, limit=2) == ["first", "second"]
    assert texts_of(store, run_id, seen=[LogCursor(1, 1)]) == ["second", "third"]
    assert texts_of(store, run_id, seen=[LogCursor(1, 1), LogCursor(2, 1), LogCursor(3, 1)]) == []


def test_a_chunk_that_is_sent_twice_is_stored_once(store: Store) -> None:
    one, two, three = ids_of(1, 2, 3)
    sent = bound((one, ["a"]), (two, ["b"]))
    keep(store, sent)

    keep(store, sent, bound((three, ["c"])), is_repeated=True)

    assert [texts_of(store, run_id) for run_id in (one, two, three)] == [["a"], ["b"], ["c"]]


def test_a_chunk_that_never_arrived_is_stored_when_sent_again(store: Store) -> None:
    one, two = ids_of(1, 2)

    keep(store, bound((one, ["a"]), (two, ["b"])), is_repeated=True)

    assert [texts_of(store, run_id) for run_id in (one, two)] == [["a"], ["b"]]


def test_ends_returns_the_last_line_of_each_claim(store: Store) -> None:
    run_id, other = ids_of(1, 2)
    keep(store, bound((run_id, ["a", "b"]), (other, ["-"])))
    keep(store, row(run_id, "c", seq=3), row(run_id, "d", fence=2))

    assert store.read(lambda tx: ends(tx, run_id, namespace=HOME)) == {1: 3, 2: 1}
    assert store.read(lambda tx: ends(tx, other, namespace=HOME)) == {1: 1}


@both_sides
def test_a_search_names_the_run_whose_line_it_is(store: Store, is_indexed: bool) -> None:  # noqa: FBT001
    one, two = ids_of(1, 2)
    keep(store, bound((one, ["red apple", "green pear"]), (two, ["red pear"])))
    if is_indexed:
        store.write(lambda tx: index(tx, limit=1_000))

    assert found(store, "red pear") == [(two, "red pear")]
    assert found(store, "green apple") == []
    assert found(store, "red", job="noop") == [(two, "red pear"), (one, "red apple")]
    assert found(store, "red", job="other") == []


def test_another_namespace_sees_nothing_of_it(store: Store) -> None:
    one, two = ids_of(1, 2)
    keep(store, bound((one, ["a"]), (two, ["b"])))

    assert found(store, "a", namespace="other") == []
    with pytest.raises(UnknownRun):
        lines_of(store, two, namespace="other")


def test_the_index_takes_only_so_many_characters_at_a_time(store: Store) -> None:
    turns = range(4)
    for turn in turns:
        one, two = ids_of(2 * turn, 2 * turn + 1)
        keep(store, bound((one, ["word " * 20]), (two, ["word " * 20])))

    counts = [store.write(lambda tx: index(tx, limit=1_000, chars=250)) for _ in turns]

    assert counts == [2, 2, 0, 0]


def test_on_postgres_a_run_among_sheaves_is_found_by_their_index(postgres_store: Store) -> None:
    text = postgres_store._statements["read_sheaves"].decode()  # type: ignore[attr-defined]
    run_id = ids_of(1)[0]
    asked = {"run_id": run_id, "first_id": first_near(run_id), "namespace": HOME}
    asked |= {"holds": f"%{run_id}%", "now": "1"}

    plan = postgres_store.read(lambda tx: tx.raw(f"explain {text}", asked))

    steps = [row["QUERY PLAN"] for row in plan if " on log_chunk" in row["QUERY PLAN"]]
    assert steps
    assert all("Index Scan" in step for step in steps), plan
