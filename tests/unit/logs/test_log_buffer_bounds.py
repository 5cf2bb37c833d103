"""The logbook within bounds: long lines, many lines, a slow store, attempts that ended."""

from __future__ import annotations

import gc

import pytest

from rota.runtime.attempts.attempt import Attempt
from rota.runtime.logs.attempt_log import MAX_CHARS, MAX_LINE, MAX_LINES, STDERR, STDOUT, AttemptLog
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.chunks import CHUNK_CHARS, CHUNK_LINES
from rota.runtime.logs.masking import Masker
from tests.support.logbooks import given_log, lines_in, printing, take_all, texts


@pytest.fixture
def book() -> LogBuffer:
    return LogBuffer(Masker(["sesame-open"]))


def test_a_long_line_is_cut_and_says_how_much(book: LogBuffer) -> None:
    log = given_log(book)
    for _ in range(100):
        log.write(STDOUT, "x" * 10_000)
    log.write(STDOUT, "\nnext\n")

    first, second = texts(book)

    assert first.startswith("x" * MAX_LINE)
    assert first.endswith(f"... {1_000_000 - MAX_LINE:,} characters cut")
    assert second == "next"


@pytest.mark.parametrize("block", [1, 7, 50_000])
def test_an_attempt_keeps_so_many_lines_and_tells_the_rest_in_one(
    book: LogBuffer, block: int
) -> None:
    log = given_log(book)
    said: list[str] = []
    for at in range(0, 50_000, block):
        log.write(STDOUT, "".join(f"{n}\n" for n in range(at, min(50_000, at + block))))
        said += texts(book) if at % 1_000 < block else []
    log.close()
    said += texts(book)

    assert said[:MAX_LINES] == [str(n) for n in range(MAX_LINES)]
    assert said[MAX_LINES].startswith("truncated: 40,000 more lines, ")
    assert len(said) == MAX_LINES + 1


def test_an_attempt_keeps_so_many_characters(book: LogBuffer) -> None:
    log = given_log(book)
    for _ in range(3_000):
        log.write(STDERR, "x" * 999 + "\n")
    log.close()

    said = texts(book)

    assert sum(map(len, said[:-1])) <= MAX_CHARS
    assert len(said) == MAX_CHARS // 1_000 + 1
    assert said[-1] == "truncated: 2,000 more lines, 2,000,000 characters"


def test_chunks_are_small_enough_for_any_index(book: LogBuffer) -> None:
    log = given_log(book)
    for n in range(1_200):
        log.write(STDOUT, f"{n}\n")
    for _ in range(20):
        log.write(STDOUT, "x" * 8_000 + "\n")

    chunks = book.take(limit=1_000, chars=10**7)

    assert [line.seq for line in lines_in(chunks)] == list(range(1, 1_221))
    for chunk in chunks:
        assert chunk.body.count("\n") < CHUNK_LINES
        assert len(chunk.body) <= CHUNK_CHARS + CHUNK_LINES


def test_when_the_store_is_slow_the_oldest_lines_go_and_are_counted() -> None:
    book = LogBuffer(Masker(), limit=100_000)
    logs = [given_log(book) for _ in range(100)]
    for number, log in enumerate(logs):
        for line in range(10):
            log.write(STDOUT, f"{number}/{line} " + "x" * 290 + "\n")
        log.close()
        assert book.held <= 100_000

    lost = book.lost
    said = [line.text.split()[0] for line in take_all(book)]

    kept = [text for text in said if "/" in text]
    assert lost > 500
    assert kept[-10:] == [f"99/{line}" for line in range(10)]
    assert "dropped:" in said
    assert len(kept) + lost == 1_000
    assert kept == sorted(kept, key=lambda text: int(text.split("/")[0]))
    assert book.held == 0


def test_an_attempt_whose_lines_were_dropped_says_so_and_keeps_its_numbers() -> None:
    book = LogBuffer(Masker(), limit=200_000)
    log = given_log(book)
    for n in range(1, 1_001):
        log.write(STDOUT, f"{n} " + "x" * 500 + "\n")
    log.close()

    said = take_all(book)

    assert said[0].text.startswith("dropped: ")
    assert "lines, the store did not take them in time" in said[0].text
    assert said[-1].text.startswith("1000 ")
    assert all(line.seq == int(line.text.split()[0]) for line in said[1:])
    assert said[0].seq == said[1].seq - 1


def test_the_oldest_lines_of_ended_attempts_are_dropped_with_a_note() -> None:
    book = LogBuffer(Masker(), limit=20_000)
    for number in range(100):
        with printing(book) as (out, _):
            for line in range(10):
                out.write(f"{number}/{line} " + "x" * 20)
                out.write("\n")
        assert book.held <= 20_000

    lost = book.lost
    said = take_all(book)

    kept = [line for line in said if "/" in line.text]
    words = [line for line in said if line.text.startswith("dropped: 10 lines")]
    assert [line.text.split()[0] for line in kept[-10:]] == [f"99/{line}" for line in range(10)]
    assert len(kept) + lost == 1_000
    assert len(kept) + len(words) == len(said)
    assert {(line.seq, line.level, line.stream) for line in words} == {(10, "warning", "log")}
    assert book.held == 0


def _attempts() -> list[object]:
    # By its type: an object that is a proxy of others would do something when it is asked.
    return [each for each in gc.get_objects() if issubclass(type(each), AttemptLog | Attempt)]


def test_nothing_of_an_attempt_that_ended_waits_for_the_garbage_collector(book: LogBuffer) -> None:
    """A call that is kept until its lines are stored, or in a ring with its log, costs more."""
    gc.collect()
    gc.disable()
    try:
        before = _attempts()  # of tests that ran here earlier; held, so that no id is used again
        with printing(book) as (out, _):
            out.write("a\n")
        known = {id(each) for each in before}
        left = [each for each in _attempts() if id(each) not in known]
    finally:
        gc.enable()

    assert left == []
    assert texts(book) == ["a"]
