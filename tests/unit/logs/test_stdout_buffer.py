"""Pages: what is printed at full load is kept as ever, whoever turns the page and when."""

from __future__ import annotations

import contextvars
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.clock import elapsed_s
from rota.rules.shared_log_rows import attempts_in
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.context import RunContext, current
from rota.runtime.logs.attempt_log import MAX_LINE, STDOUT
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.capture import RunRecords, RunStream, page_for
from rota.runtime.logs.masking import Masker
from rota.runtime.logs.stdout_batch import StdoutBatch
from rota.runtime.logs.stdout_buffer import MOMENT_S, MOST, StdoutBuffer, StdoutBuffers, pages
from tests.support.calls import call_of
from tests.support.logbooks import given_log, handler, take_all, texts


class Thread:
    """One thread of a worker that serves calls: prints what they say, then ends them."""

    def __init__(self, book: LogBuffer) -> None:
        self.book = book
        self.outside = StringIO()
        self.stream: Any = RunStream(self.outside, STDOUT)
        self.page: StdoutBuffer | None = None

    def serve(self, body: Callable[[Any, Attempt], None]) -> None:
        call: Attempt = call_of(handler)
        call.log_buffer = self.book
        call.started_s = elapsed_s()
        self.page = call.page = pages.page_for(call, self.page, self.stream)
        token = current.set(RunContext(call))
        try:
            body(self.stream, call)
        finally:
            current.reset(token)
            if (call.page is None or not call.page.end(call)) and call.log is not None:
                call.log.close()


@pytest.fixture
def book() -> LogBuffer:
    return LogBuffer(Masker())


@pytest.fixture(autouse=True)
def hurry() -> Iterator[None]:
    pages.want(hurry, wanted=True)
    yield
    pages.want(hurry, wanted=False)
    assert not pages.laid


def test_output_of_an_attempt_is_collected_at_its_end(book: LogBuffer) -> None:
    thread = Thread(book)
    for name in "ab":
        thread.serve(lambda out, _, name=name: print(f"{name}1\n{name}2", file=out))  # type: ignore[misc]

    assert take_all(book) == [
        (1, "info", "stdout", "a1"),
        (2, "info", "stdout", "a2"),
        (1, "info", "stdout", "b1"),
        (2, "info", "stdout", "b2"),
    ]
    assert book.held == 0


def test_a_call_that_says_nothing_leaves_nothing(book: LogBuffer) -> None:
    Thread(book).serve(lambda _out, _call: None)

    assert len(book) == 0


@given(
    st.lists(st.text(st.sampled_from("ab\né\r\0"), max_size=6), max_size=20),
    st.sets(st.integers(0, 19), max_size=3),
    st.sets(st.integers(0, 19), max_size=3),
)
def test_whenever_the_page_is_turned_and_taken_the_lines_are_the_same(
    pieces: list[str], turns: set[int], takes: set[int]
) -> None:
    def lines(turned: set[int], taken: set[int]) -> list[tuple[int, str]]:
        book = LogBuffer(Masker())
        found = []

        def body(out: Any, call: Attempt) -> None:
            for number, piece in enumerate(pieces):
                out.write(piece)
                if number in turned:
                    call.page.turn()
                if number in taken:
                    found.extend(take_all(book))

        Thread(book).serve(body)
        return [(line.seq, line.text) for line in [*found, *take_all(book)]]

    assert lines(turns, takes) == lines({0}, set())


@given(
    st.lists(
        st.tuples(
            st.lists(st.text(st.sampled_from("ab\né\r\0"), max_size=6), max_size=3),
            st.sampled_from(["", "turn", "gather", "between"]),
        ),
        max_size=8,
    )
)
def test_calls_that_follow_each_other_keep_their_lines_apart(
    said: list[tuple[list[str], str]],
) -> None:
    book = LogBuffer(Masker())
    thread = Thread(book)
    for pieces, meanwhile in said:

        def body(
            out: Any, call: Attempt, pieces: list[str] = pieces, what: str = meanwhile
        ) -> None:
            for piece in pieces:
                out.write(piece)
                if what == "turn":
                    call.page.turn()
                if what == "gather":
                    pages.gather()

        thread.serve(body)
        if meanwhile == "between":
            pages.gather()

    expected = []
    for pieces, _ in said:
        alone = LogBuffer(Masker())
        log = given_log(alone)
        log.write(STDOUT, "".join(pieces))
        log.close()
        expected += [(line.seq, line.text) for line in take_all(alone)]
    assert sorted((line.seq, line.text) for line in take_all(book)) == sorted(expected)
    assert book.held == 0


def test_a_page_is_handed_in_when_it_is_full(book: LogBuffer) -> None:
    thread = Thread(book)
    for number in range(MOST):
        assert len(book) == 0
        thread.serve(lambda out, _, number=number: print(number, file=out))  # type: ignore[misc]

    assert len(book) == MOST
    assert sum(map(attempts_in, book.take(limit=MOST, chars=1_000_000))) == MOST


def test_more_than_a_line_may_have_is_cut_as_ever(book: LogBuffer) -> None:
    thread = Thread(book)
    thread.serve(lambda out, _: print("short", file=out))
    thread.serve(lambda out, _: print("x" * (MAX_LINE + 5), file=out))

    assert sorted(texts(book)) == ["short", "x" * MAX_LINE + "... 5 characters cut"]
    assert book.held == 0


def test_when_the_store_takes_nothing_lines_go_and_each_run_says_so() -> None:
    book = LogBuffer(Masker(), limit=1_300)
    thread = Thread(book)
    for name in "abcd":
        thread.serve(lambda out, _, name=name: print(f"{name}\n{name}", file=out))  # type: ignore[misc]
        pages.gather()

    assert book.held <= 1_300
    assert book.lost == 2 * 2
    dropped = "dropped: 2 lines, the store did not take them in time"
    assert sorted(texts(book)) == ["c", "c", "d", "d", dropped, dropped]
    assert book.held == 0


def test_words_that_take_long_to_find_are_not_lost_when_the_page_is_turned(book: LogBuffer) -> None:
    class Slow:
        def __init__(self, page: StdoutBuffer) -> None:
            self._page = page

        def __str__(self) -> str:
            self._page.turn()
            return "found"

    def body(out: Any, call: Attempt) -> None:
        print("first", file=out)
        print(Slow(call.page), file=out)
        print("last", file=out)

    Thread(book).serve(body)

    assert sorted(texts(book)) == ["first", "found", "last"]


def test_other_streams_come_after_what_was_printed_before(book: LogBuffer) -> None:
    err: Any = RunStream(sys.stderr, 1)

    def body(out: Any, _: Attempt) -> None:
        print("one", file=out)
        print("two", file=err)
        RunRecords().emit(logging.LogRecord("root", logging.ERROR, "", 0, "three", None, None))
        out.buffer.write(b"four\n")
        print("five", file=out)

    Thread(book).serve(body)

    assert texts(book) == ["one", "two", "three", "four", "five"]


def test_flushing_does_not_turn_the_page(book: LogBuffer) -> None:
    def body(out: Any, call: Attempt) -> None:
        print("one", file=out, flush=True)
        assert not out.isatty()
        assert call.log is None

    Thread(book).serve(body)

    assert texts(book) == ["one"]


def test_a_call_that_takes_its_time_gets_the_time_of_each_line(book: LogBuffer) -> None:
    def body(out: Any, call: Attempt) -> None:
        print("early", file=out)
        assert call.started_s is not None
        pages.turn_old(call.started_s + MOMENT_S / 2)
        assert call.log is None
        pages.turn_old(call.started_s + 2 * MOMENT_S)
        print("late", file=out)
        assert texts(book) == ["early", "late"]

    Thread(book).serve(body)


def test_a_thread_that_knows_the_run_writes_to_it(book: LogBuffer) -> None:
    def body(out: Any, _: Attempt) -> None:
        print("mine", file=out)
        context = contextvars.copy_context()
        other = threading.Thread(target=context.run, args=(lambda: print("its", file=out),))
        other.start()
        other.join()
        print("mine again", file=out)

    Thread(book).serve(body)

    assert texts(book) == ["mine", "its", "mine again"]


def test_a_page_that_is_left_while_its_thread_prints_is_not_used_again(
    book: LogBuffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = Thread(book)
    add = book.add

    def print_meanwhile(sheet: StdoutBatch) -> None:
        print("meanwhile", file=thread.stream)
        add(sheet)

    def body(out: Any, call: Attempt) -> None:
        print("second", file=out)
        with monkeypatch.context() as patch:
            patch.setattr(book, "add", print_meanwhile)
            call.page.turn()

    thread.serve(lambda out, _: print("first", file=out))
    thread.serve(body)
    thread.serve(lambda out, _: print("third", file=out))
    assert thread.page in pages.laid
    pages.want(hurry, wanted=False)
    thread.serve(lambda out, _: print("fourth", file=out))

    assert sorted(texts(book)) == ["first", "fourth", "meanwhile", "second", "third"]
    assert thread.outside.getvalue() == ""


def test_a_page_that_two_leave_at_once_is_handed_in_once(book: LogBuffer) -> None:
    thread = Thread(book)
    thread.serve(lambda out, _: print("one", file=out))
    assert thread.page is not None

    thread.page.leave()
    thread.page.leave()

    assert texts(book) == ["one"]


def test_output_between_two_attempts_belongs_to_neither(book: LogBuffer) -> None:
    thread = Thread(book)
    thread.serve(lambda out, _: print("one", file=out))
    print("between", file=thread.stream)
    thread.serve(lambda out, _: print("two", file=out))

    assert texts(book) == ["one", "two"]
    assert thread.outside.getvalue() == "between\n"


def test_when_the_load_is_over_threads_print_as_ever(book: LogBuffer) -> None:
    thread = Thread(book)
    thread.serve(lambda out, _: print("one", file=out))
    pages.want(hurry, wanted=False)

    thread.serve(lambda out, call: print(call.page, file=out))
    print("outside", file=thread.stream)

    assert sorted(texts(book)) == ["None", "one"]
    assert thread.outside.getvalue() == "outside\n"


def test_a_page_that_comes_when_the_load_is_over_is_left_at_once(
    book: LogBuffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(set[StdoutBuffer]):
        def add(self, page: StdoutBuffer) -> None:
            pages.want(hurry, wanted=False)  # it looks, and the page is not there yet
            super().add(page)

    monkeypatch.setattr(pages, "laid", Late())
    thread = Thread(book)
    for name in "ab":
        thread.serve(lambda out, _, name=name: print(name, file=out))  # type: ignore[misc]

    assert texts(book) == ["a", "b"]
    assert not pages.laid


def test_one_who_still_hurries_keeps_the_pages() -> None:
    several = StdoutBuffers()
    several.want("a", wanted=True)
    several.want("b", wanted=True)
    several.want("a", wanted=False)
    call: Attempt = call_of(handler)
    call.log_buffer = LogBuffer(Masker())

    assert several.page_for(call, None, RunStream(StringIO(), STDOUT)) is not None


def test_a_handler_that_replaced_stdout_gets_no_page() -> None:
    call: Attempt = call_of(handler)
    call.log_buffer = LogBuffer(Masker())

    assert page_for(call, None) is None
