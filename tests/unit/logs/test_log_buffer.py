"""The logbook: pieces become lines, whatever they are, without waiting."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.logs.log import LEVELS
from rota.runtime.attempts.context import current
from rota.runtime.logs import attempt_log
from rota.runtime.logs import capture as streams
from rota.runtime.logs.attempt_log import INFO, MAX_LINE, STDERR, STDOUT
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.masking import Masker
from tests.support.calls import call_of
from tests.support.logbooks import Said, given_log, handler, printing, take_all, texts


@pytest.fixture
def book() -> LogBuffer:
    return LogBuffer(Masker(["sesame-open"]))


def test_pieces_of_lines_are_put_together_for_each_stream(book: LogBuffer) -> None:
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
    book = LogBuffer(Masker())
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


@given(
    st.lists(st.tuples(st.booleans(), st.text(st.sampled_from("ab\né"), max_size=6)), max_size=30),
    st.lists(st.integers(0, 29), max_size=4),
)
def test_printed_text_is_stored_unchanged(writes: list[tuple[bool, str]], takes: list[int]) -> None:
    book = LogBuffer(Masker())
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
    book: LogBuffer, monkeypatch: pytest.MonkeyPatch
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


def test_nothing_is_made_for_a_call_that_says_nothing(book: LogBuffer) -> None:
    call = call_of(handler)

    assert call.log is None
    assert len(book) == 0


def test_a_secret_is_masked_when_it_comes_in_two_pieces(book: LogBuffer) -> None:
    log = given_log(book)
    log.write(STDOUT, "say sesa")
    assert texts(book) == []
    log.write(STDOUT, "me-open now\npassword=hun")
    log.write(STDOUT, "ter2\n")

    assert texts(book) == ["say *** now", "password=***"]


def test_a_secret_across_the_cut_of_a_long_line_does_not_show(book: LogBuffer) -> None:
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


def test_bytes_that_are_no_text_are_replaced_and_halves_of_characters_wait(book: LogBuffer) -> None:
    log = given_log(book)
    cat = "猫".encode()
    for piece in (cat[:1], cat[1:], b"\xff\x00\n", b"\xc3"):
        log.write_bytes(STDOUT, piece)
    log.write(STDERR, "lone \ud800\n")
    log.close()

    assert texts(book) == ["猫\ufffd\ufffd", "lone ?"]


def test_a_bar_that_redraws_itself_leaves_its_last_picture(book: LogBuffer) -> None:
    log = given_log(book)
    for percent in range(101):
        log.write(STDERR, f"\r{percent}%")
    log.write(STDERR, "\nwindows\r\n")

    assert texts(book) == ["100%", "windows"]


def test_threads_of_one_attempt_lose_no_line(book: LogBuffer) -> None:
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


def test_somebody_is_woken_for_the_first_line_and_again_after_a_take(book: LogBuffer) -> None:
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
    book: LogBuffer,
) -> None:
    with printing(book) as (out, _):
        for _ in range(300_000):
            out.write("\n")
        log = current.get().call.log  # type: ignore[union-attr]
        assert len(log.pieces) < 100_000
