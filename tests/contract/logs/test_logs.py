"""Logs: lines come back in order, are found by their words, and go with their retention."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rota.engine.logs import PAGE, LogCursor, append, before_last, index, read, search
from rota.engine.prune import DAY_MS, Retention, prune
from rota.errors import BadInput, UnknownRun
from rota.ids import new_id
from rota.model.logs.log import FoundLine, LogChunk
from rota.model.runs.run import Lease
from rota.store.base import Store
from rota.store.open import open_store
from rota.store.sqlite.store import SqliteStore
from tests.contract.builders import (
    HOME,
    START_MS,
    Clock,
    claim_one,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    run_sql,
)

INFO, ERROR = 1, 3
KEPT = Retention(success_ms=2 * DAY_MS, failure_ms=5 * DAY_MS)

both_sides = pytest.mark.parametrize("is_indexed", [False, True], ids=["fresh", "indexed"])


@pytest.fixture
def own(store_url: str, clock: Clock) -> Iterator[Store]:
    """A database of its own, for tests that drop partitions."""
    store = open_store(store_url, clock=clock)
    yield store
    store.close()


def chunk(run_id: str, *lines: str, **fields: Any) -> LogChunk:
    level = fields.pop("level", INFO)
    given: dict[str, Any] = {
        "run_id": run_id,
        "job": "noop",
        "attempt": 1,
        "fence": 1,
        "seq": 1,
        "first_at": START_MS,
        "marks": json.dumps([len(lines), 0, level, 0]),
        "body": "\n".join(lines),
    }
    return LogChunk(**given | fields)


def store_chunks(store: Store, chunks: Sequence[LogChunk], **options: Any) -> None:
    given = {"namespace": HOME} | options
    is_lone = not given.get("is_repeated")
    store.write(lambda tx: append(tx, chunks, **given), lone=is_lone)


def lines_of(store: Store, run_id: str, **options: Any) -> list[FoundLine]:
    asked = {"namespace": HOME} | options
    return store.read(lambda tx: read(tx, run_id, **asked))


def texts_of(store: Store, run_id: str, **options: Any) -> list[str]:
    return [line.text for line in lines_of(store, run_id, **options)]


def found(store: Store, text: str, **options: Any) -> list[str]:
    asked = {"namespace": HOME} | options
    return [line.text for line in store.read(lambda tx: search(tx, text, **asked))]


def index_all(store: Store) -> int:
    return store.write(lambda tx: index(tx, limit=1_000))


def test_a_line_keeps_its_number_time_level_and_stream(store: Store) -> None:
    run_id = given_run(store)
    marks = json.dumps([1, 0, INFO, 0, 2, 250, ERROR, 2])
    store_chunks(store, [chunk(run_id, "a", "b", "c", seq=7, marks=marks, attempt=2, fence=3)])

    lines = lines_of(store, run_id)

    assert [
        (line.seq, line.at.ms - START_MS, line.level, line.stream, line.text) for line in lines
    ] == [
        (7, 0, "info", "stdout", "a"),
        (8, 250, "error", "log", "b"),
        (9, 250, "error", "log", "c"),
    ]
    assert {(line.run_id, line.job, line.attempt, line.fence) for line in lines} == {
        (run_id, "noop", 2, 3)
    }


def test_lines_come_in_the_order_of_claims_and_numbers_however_they_arrived(store: Store) -> None:
    run_id = given_run(store)
    chunks = [
        chunk(run_id, "second claim", fence=2),
        chunk(run_id, "two", "three", seq=2),
        chunk(run_id, "one"),
    ]
    for each in chunks:
        store_chunks(store, [each])

    assert texts_of(store, run_id) == ["one", "two", "three", "second claim"]


def test_a_chunk_that_is_sent_again_is_there_once(store: Store) -> None:
    run_id = given_run(store)
    first = chunk(run_id, "one")
    store_chunks(store, [first])

    store_chunks(store, [first, chunk(run_id, "two", seq=2)], is_repeated=True)

    assert texts_of(store, run_id) == ["one", "two"]


def test_a_reader_goes_on_after_what_it_has_seen_of_each_claim(store: Store) -> None:
    run_id = given_run(store)
    store_chunks(store, [chunk(run_id, "one", "two"), chunk(run_id, "new claim", fence=2)])
    seen = [LogCursor(1, 2), LogCursor(2, 1)]
    before = texts_of(store, run_id, seen=seen)

    store_chunks(store, [chunk(run_id, "late word of the lost claim", seq=3)])
    store_chunks(store, [chunk(run_id, "more", seq=2, fence=2)])

    assert before == []
    assert texts_of(store, run_id, seen=seen) == ["late word of the lost claim", "more"]


def test_a_reader_may_begin_near_the_end(store: Store) -> None:
    run_id = given_run(store)
    store_chunks(store, [chunk(run_id, "first claim")])
    ten = [chunk(run_id, f"line {number}", seq=number, fence=2) for number in range(1, 11)]
    store_chunks(store, ten)

    def last(lines: int) -> list[str]:
        seen = store.read(lambda tx: before_last(tx, run_id, namespace=HOME, lines=lines))
        return texts_of(store, run_id, seen=seen)

    assert last(1) == ["line 10"]
    assert last(3) == ["line 8", "line 9", "line 10"]
    assert last(10) == [f"line {number}" for number in range(1, 11)]
    assert last(11) == texts_of(store, run_id)


def test_the_last_lines_come_in_whole_chunks(store: Store) -> None:
    run_id = given_run(store)
    store_chunks(store, [chunk(run_id, "a", "b"), chunk(run_id, "c", "d", "e", seq=3)])

    seen = store.read(lambda tx: before_last(tx, run_id, namespace=HOME, lines=1))

    assert texts_of(store, run_id, seen=seen) == ["c", "d", "e"]


def test_lines_of_an_attempt_that_lost_its_lease_are_kept(store: Store, clock: Clock) -> None:
    lost = given_lease(store)
    finish_with(store, lost, "release")
    fresh = claim_one(store, given_worker(store))
    finish_with(store, fresh)

    store_chunks(store, [_said(lost, "I was first"), _said(fresh, "I was second")])

    assert texts_of(store, lost.run_id) == ["I was first", "I was second"]


def _said(lease: Lease, text: str) -> LogChunk:
    return chunk(lease.run_id, text, fence=lease.fence, attempt=lease.attempt)


def test_text_that_databases_stumble_over_comes_back_as_it_was(store: Store) -> None:
    run_id = given_run(store)
    odd = [
        "",
        "tab\there",
        "quote ' and \" and \\",
        "ünïcödé 猫 🐈",
        "\x1b[31mred\x07",
        "%s {x} :y",
        "",
    ]

    store_chunks(store, [chunk(run_id, *odd)])

    assert texts_of(store, run_id) == odd


def test_a_run_without_lines_has_none_and_no_run_is_an_error(store: Store) -> None:
    run_id = given_run(store)

    assert lines_of(store, run_id) == []
    for unknown in (new_id(), "nonsense"):
        with pytest.raises(UnknownRun):
            lines_of(store, unknown)


def test_another_namespace_sees_nothing_of_it(store: Store) -> None:
    run_id = given_run(store)
    store_chunks(store, [chunk(run_id, "private word")])
    fresh = found(store, "private", namespace="b")
    index_all(store)

    with pytest.raises(UnknownRun):
        lines_of(store, run_id, namespace="b")
    assert (fresh, found(store, "private", namespace="b")) == ([], [])
    assert found(store, "private") == ["private word"]


@both_sides
def test_a_search_finds_lines_that_hold_all_words(store: Store, *, is_indexed: bool) -> None:
    lines = (
        "Connection REFUSED by db-1.example.com:5432",
        "connection accepted",
        "refused: password",
        "reconnection refused",
        "größe=12 path=/var/log/x_y.txt",
    )
    store_chunks(store, [chunk(given_run(store), *lines)])
    if is_indexed:
        assert index_all(store) == 1

    assert found(store, "refused connection") == [lines[0]]
    assert found(store, "CONNECTION") == [lines[1], lines[0]]
    assert found(store, "db-1.example.com") == [lines[0]]
    assert found(store, "GRÖSSE") == []
    assert found(store, "Größe") == found(store, "x_y.txt") == found(store, "var log") == [lines[4]]
    assert found(store, "connect") == found(store, "accepted refused") == []
    assert found(store, "'; drop table rota_run; --") == []


@both_sides
def test_a_search_can_be_narrowed(store: Store, *, is_indexed: bool) -> None:
    run_id = given_run(store)
    chunks = [
        chunk(run_id, "disk old", first_at=START_MS - 7_200_000),
        chunk(run_id, "disk new", seq=2),
        chunk(run_id, "disk error", seq=3, level=ERROR, first_at=START_MS + 1),
        chunk(new_id(), "disk of mail", job="mail", first_at=START_MS + 2),
    ]
    store_chunks(store, chunks)
    if is_indexed:
        index_all(store)

    everything = ["disk of mail", "disk error", "disk new", "disk old"]
    assert found(store, "disk") == everything
    assert found(store, "disk", limit=2) == everything[:2]
    assert found(store, "disk", job="noop") == everything[1:]
    assert found(store, "disk", since=START_MS - 3_600_000) == everything[:3]
    assert found(store, "disk", level="error") == ["disk error"]
    assert found(store, "disk", job="mail", level="warning") == []


def test_a_search_by_time_finds_a_late_line_of_an_early_chunk(store: Store) -> None:
    marks = json.dumps([1, 0, INFO, 0, 1, 50_000, INFO, 0])
    store_chunks(store, [chunk(given_run(store), "early word", "late word", marks=marks)])

    assert found(store, "word", since=START_MS + 10_000) == ["late word"]


def test_half_indexed_and_half_fresh_lines_are_found_together_the_newest_first(
    store: Store,
) -> None:
    run_id = given_run(store)
    store_chunks(
        store, [chunk(run_id, "word 1"), chunk(run_id, "word 2", seq=2, first_at=START_MS + 2)]
    )
    index_all(store)
    store_chunks(store, [chunk(run_id, "word 3", seq=3, first_at=START_MS + 1)])

    assert found(store, "word") == ["word 2", "word 3", "word 1"]


def test_a_search_looks_past_chunks_that_hold_the_words_on_different_lines(store: Store) -> None:
    run_id = given_run(store)
    misses = [
        chunk(run_id, "red", "fox", seq=2 * n, first_at=START_MS + n) for n in range(1, PAGE + 50)
    ]
    store_chunks(store, [chunk(run_id, "the red fox"), *misses])
    fresh = found(store, "red fox")
    while index_all(store):
        pass

    assert fresh == found(store, "red fox") == ["the red fox"]


def test_a_search_without_a_word_is_refused(store: Store) -> None:
    for nothing in ("", "  ", "-_/"):
        with pytest.raises(BadInput, match="no word to search for"):
            found(store, nothing)


def test_indexing_goes_in_bounded_batches_and_each_chunk_once(store: Store) -> None:
    run_id = given_run(store)
    store_chunks(store, [chunk(run_id, f"word {n}", seq=n) for n in range(1, 6)])

    counts = [store.write(lambda tx: index(tx, limit=2)) for _ in range(4)]

    assert counts == [2, 2, 1, 0]
    assert len(found(store, "word")) == 5


def test_the_longest_chunk_can_be_indexed(store: Store) -> None:
    words = " ".join(f"w{n}ö" for n in range(8_000))
    store_chunks(store, [chunk(given_run(store), words[:64_000], "🐈" * 8_192)])

    assert index_all(store) == 1
    assert len(found(store, "w77ö")) == 1


def test_lines_are_kept_as_long_as_failures_and_outlive_their_run(own: Store, clock: Clock) -> None:
    store = own
    lease = given_lease(store)
    finish_with(store, lease)
    store_chunks(store, [_said(lease, "still here"), chunk(lease.run_id, "indexed", seq=2)])
    index_all(store)
    store_chunks(store, [chunk(lease.run_id, "not indexed", seq=3)])

    clock.advance(KEPT.failure_ms)
    _forget(store)
    kept = texts_of(store, lease.run_id)
    clock.advance(DAY_MS + 1)
    _forget(store)

    assert kept == ["still here", "indexed", "not indexed"]
    assert found(store, "indexed") == []
    assert run_sql(store.url, "select count(*) from rota.log_chunk") == [(0,)]
    with pytest.raises(UnknownRun):
        lines_of(store, lease.run_id)


def test_old_lines_go_in_bounded_batches_and_young_ones_stay(store: Store, clock: Clock) -> None:
    run_id = given_run(store)
    far = START_MS + 100 * DAY_MS  # beyond the days that PostgreSQL has partitions for
    store_chunks(store, [chunk(run_id, f"old {n}", seq=n, first_at=far + n) for n in range(1, 8)])
    store_chunks(store, [chunk(run_id, "young", seq=8, first_at=far + 5 * DAY_MS)])
    clock.ms = far + 6 * DAY_MS

    gone = [store.write(lambda tx: prune(tx, KEPT, limit=3)) for _ in range(4)]

    assert gone == [3, 3, 1, 0]
    assert texts_of(store, run_id) == ["young"]


def _forget(store: Store) -> None:
    """What the pruner does."""
    store.rotate(keep_good_ms=KEPT.success_ms, keep_bad_ms=KEPT.failure_ms)
    store.write(lambda tx: prune(tx, KEPT, limit=1_000))


@pytest.mark.parametrize(
    ("statement", "name"),
    [("read_logs", "run"), ("log_ends", "run"), ("read_sheaves", "sheaf")],
)
def test_on_sqlite_lines_of_a_run_are_found_by_their_index(
    sqlite_url: str, statement: str, name: str
) -> None:
    store = open_store(sqlite_url)
    assert isinstance(store, SqliteStore)
    text = store._statements[statement].text
    asked = dict.fromkeys(("run_id", "first_id", "holds", "namespace", "limit", "now"), "1")
    asked["batch"] = "[]"

    plan = store.read(lambda tx: tx.raw(f"explain query plan {text}", asked))
    store.close()

    steps = [row["detail"] for row in plan if "log_chunk" in row["detail"]]
    assert steps
    assert all(f"USING INDEX rota_log_chunk_{name}" in step for step in steps), plan
