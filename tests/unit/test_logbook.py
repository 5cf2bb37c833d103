"""The logbook: pieces become lines, whatever they are, within bounds and without waiting."""

from __future__ import annotations

import gc
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.log import LEVELS, STREAMS, LogChunk
from rota.runtime import attempt_log, streams
from rota.runtime.attempt_log import (
    INFO,
    MAX_CHARS,
    MAX_LINE,
    MAX_LINES,
    STDERR,
    STDOUT,
    AttemptLog,
)
from rota.runtime.call import Call
from rota.runtime.context import RunContext, current
from rota.runtime.log_chunks import CHUNK_CHARS, CHUNK_LINES
from rota.runtime.logbook import Logbook
from rota.runtime.masking import Masker
from rota.runtime.streams import RunStream
from tests.support.calls import call_of


class Said(NamedTuple):
    seq: int
    level: str
    stream: str
    text: str


def handler() -> None:
    pass


def given_log(book: Logbook) -> AttemptLog:
    call: Call = call_of(handler)
    call.logbook = book
    return book.log_of(call)


def lines_in(chunks: list[LogChunk]) -> list[Said]:
    lines = []
    for chunk in chunks:
        marks = json.loads(chunk.marks)
        texts = chunk.body.split("\n")
        kinds = [
            kind for at in range(0, len(marks), 4) for kind in [marks[at + 1 : at + 4]] * marks[at]
        ]
        assert len(kinds) == len(texts)
        for number, (text, (_, level, stream)) in enumerate(zip(texts, kinds, strict=True)):
            lines.append(Said(chunk.seq + number, LEVELS[level], STREAMS[stream], text))
    return lines


def take_all(book: Logbook) -> list[Said]:
    chunks: list[LogChunk] = []
    while book:
        chunks += book.take(limit=1_000, chars=1_000_000)
    return lines_in(chunks)


def texts(book: Logbook) -> list[str]:
    return [line.text for line in take_all(book)]


@pytest.fixture
def book() -> Logbook:
    return Logbook(Masker(["sesame-open"]))


def test_pieces_of_lines_are_put_together_for_each_stream(book: Logbook) -> None:
    log = given_log(book)
    for stream, piece in [
        (STDOUT, "a"), (STDERR, "x"), (STDOUT, "b\nc"),
        (STDERR, "y\n"), (STDOUT, "\n"), (STDOUT, "d"),
    ]:  # fmt: skip
        log.write(stream, piece)
    log.record(LEVELS.index("error"), "first\nsecond")
    log.close()

    assert take_all(book) == [
        (1, "info", "stdout", "ab"),
        (2, "info", "stderr", "xy"),
        (3, "info", "stdout", "c"),
        (4, "error", "log", "first"),
        (5, "error", "log", "second"),
        (6, "info", "stdout", "d"),
    ]


@given(
    st.lists(st.text(st.sampled_from("ab\né"), max_size=6), max_size=30),
    st.lists(st.integers(0, 29), max_size=4),
)
def test_however_text_is_cut_into_pieces_and_takes_its_lines_are_the_same(
    pieces: list[str], takes: list[int]
) -> None:
    book = Logbook(Masker())
    log = given_log(book)
    said: list[Said] = []
    for number, piece in enumerate(pieces):
        log.write(STDOUT, piece)
        if number in takes:
            said += take_all(book)
    log.close()
    said += take_all(book)

    whole = "".join(pieces)
    expected = whole.removesuffix("\n").split("\n") if whole else []
    assert [line.text for line in said] == expected
    assert [line.seq for line in said] == list(range(1, len(expected) + 1))


@contextmanager
def printing(book: Logbook) -> Iterator[tuple[Any, Any]]:
    """Standard output and error as a handler has them."""
    call: Call = call_of(handler)
    call.logbook = book
    token = current.set(RunContext(call))
    try:
        yield RunStream(sys.stdout, STDOUT), RunStream(sys.stderr, STDERR)
    finally:
        current.reset(token)
        if call.log is not None:
            call.log.close()


@given(
    st.lists(st.tuples(st.booleans(), st.text(st.sampled_from("ab\né"), max_size=6)), max_size=30),
    st.lists(st.integers(0, 29), max_size=4),
)
def test_what_is_printed_comes_out_as_it_went_in(
    writes: list[tuple[bool, str]], takes: list[int]
) -> None:
    book = Logbook(Masker())
    said: list[Said] = []
    with printing(book) as places:
        for number, (is_error, piece) in enumerate(writes):
            assert places[is_error].write(piece) == len(piece)
            if number in takes:
                said += take_all(book)
    said += take_all(book)

    for stream, name in enumerate(("stdout", "stderr")):
        whole = "".join(piece for at, piece in writes if at == stream)
        expected = whole.removesuffix("\n").split("\n") if whole else []
        assert [line.text for line in said if line.stream == name] == expected
    assert [line.seq for line in said] == list(range(1, len(said) + 1))


def test_lines_have_the_time_at_which_they_ended(
    book: Logbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    for module in (attempt_log, streams):
        monkeypatch.setattr(module, "elapsed_s", lambda: clock[0])
    with printing(book) as (out, _):
        for after_s, text in [
            (0, "a"), (0.0004, "\n"), (0.0004, "b\n"), (0.25, "c"), (0.5, "\n"), (0, "d\n"),
            (0.0009, "e\n"), (0.0009, "f\n"),
        ]:  # fmt: skip
            clock[0] += after_s
            out.write(text)

    (chunk,) = book.take(limit=10, chars=1_000)

    assert chunk.body == "a\nb\nc\nd\ne\nf"
    assert json.loads(chunk.marks) == [
        2,
        0,
        INFO,
        STDOUT,
        3,
        750,
        INFO,
        STDOUT,
        1,
        752,
        INFO,
        STDOUT,
    ]


def test_nothing_is_made_for_a_call_that_says_nothing(book: Logbook) -> None:
    call = call_of(handler)

    assert call.log is None
    assert len(book) == 0


def test_a_secret_is_masked_when_it_comes_in_two_pieces(book: Logbook) -> None:
    log = given_log(book)
    log.write(STDOUT, "say sesa")
    assert texts(book) == []
    log.write(STDOUT, "me-open now\npassword=hun")
    log.write(STDOUT, "ter2\n")

    assert texts(book) == ["say *** now", "password=***"]


def test_a_secret_across_the_cut_of_a_long_line_does_not_show(book: Logbook) -> None:
    for at in range(MAX_LINE - 12, MAX_LINE + 2):
        log = given_log(book)
        log.write(STDOUT, "x" * at + "sesame-open" + "y" * 50 + "\n")
    for at in range(2 * MAX_LINE - 12, 2 * MAX_LINE + 2):
        log = given_log(book)
        log.write(STDOUT, "sesame-open" * 900 + "z" * (at - 9_900) + "sesame-open and more\n")

    shown = texts(book)

    assert len(shown) == 28
    assert [line for line in shown if "sesa" in line] == []
    assert all(len(line) < MAX_LINE + 50 and "characters cut" in line for line in shown)


def test_a_long_line_is_cut_and_says_how_much(book: Logbook) -> None:
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
    book: Logbook, block: int
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


def test_an_attempt_keeps_so_many_characters(book: Logbook) -> None:
    log = given_log(book)
    for _ in range(3_000):
        log.write(STDERR, "x" * 999 + "\n")
    log.close()

    said = texts(book)

    assert sum(map(len, said[:-1])) <= MAX_CHARS
    assert len(said) == MAX_CHARS // 1_000 + 1
    assert said[-1] == "truncated: 2,000 more lines, 2,000,000 characters"


def test_bytes_that_are_no_text_are_replaced_and_halves_of_characters_wait(book: Logbook) -> None:
    log = given_log(book)
    cat = "猫".encode()
    for piece in (cat[:1], cat[1:], b"\xff\x00\n", b"\xc3"):
        log.write_bytes(STDOUT, piece)
    log.write(STDERR, "lone \ud800\n")
    log.close()

    assert texts(book) == ["猫\ufffd\ufffd", "lone ?"]


def test_a_bar_that_redraws_itself_leaves_its_last_picture(book: Logbook) -> None:
    log = given_log(book)
    for percent in range(101):
        log.write(STDERR, f"\r{percent}%")
    log.write(STDERR, "\nwindows\r\n")

    assert texts(book) == ["100%", "windows"]


def test_chunks_are_small_enough_for_any_index(book: Logbook) -> None:
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
    book = Logbook(Masker(), limit=100_000)
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
    book = Logbook(Masker(), limit=200_000)
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


def test_of_attempts_that_ended_the_oldest_lines_go_and_say_so() -> None:
    book = Logbook(Masker(), limit=20_000)
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
    return [each for each in gc.get_objects() if isinstance(each, AttemptLog | Call)]


def test_nothing_of_an_attempt_that_ended_waits_for_the_garbage_collector(book: Logbook) -> None:
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


def test_threads_of_one_attempt_lose_no_line(book: Logbook) -> None:
    log = given_log(book)
    said: list[str] = []

    def write(name: int) -> None:
        for n in range(1_000):
            log.record(INFO, f"{name}:{n}")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        said += texts(book)
    said += texts(book)

    assert sorted(said) == sorted(f"{name}:{n}" for name in range(4) for n in range(1_000))
    for name in range(4):
        own = [text for text in said if text.startswith(f"{name}:")]
        assert own == [f"{name}:{n}" for n in range(1_000)]


def test_somebody_is_woken_for_the_first_line_and_again_after_a_take(book: Logbook) -> None:
    calls: list[int] = []
    book.wake = lambda: calls.append(1)
    first, second = given_log(book), given_log(book)
    first.write(STDOUT, "a\n")
    second.write(STDOUT, "b\n")
    once = len(calls)
    take_all(book)
    first.write(STDOUT, "c\n")

    assert (once, len(calls)) == (1, 2)


def test_nothing_but_line_breaks_does_not_fill_the_memory_while_nobody_takes_them(
    book: Logbook,
) -> None:
    with printing(book) as (out, _):
        for _ in range(300_000):
            out.write("\n")
        log = current.get().call.log  # type: ignore[union-attr]
        assert len(log.pieces) < 100_000
