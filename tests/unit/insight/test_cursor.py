"""The cursor of changes: no order of commits hides a row below its floor."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rota.rules.insight.cursor import Cursor, Mark

LONGEST_MS = 10_000


def test_without_open_transactions_it_keeps_up_with_the_clock() -> None:
    cursor = Cursor(longest_ms=LONGEST_MS)

    floors = []
    for turn in range(3):
        cursor.advance(Mark(1000 * turn, 5 + turn, 5 + turn))
        floors.append(cursor.floor)

    assert floors == [0, 1000, 2000]


def test_the_cursor_waits_for_the_oldest_open_transaction() -> None:
    cursor = Cursor(longest_ms=LONGEST_MS)
    cursor.advance(Mark(1000, 5, 5))
    cursor.advance(Mark(2000, 5, 6))
    cursor.advance(Mark(3000, 5, 9))
    assert cursor.floor == 1000

    cursor.advance(Mark(4000, 7, 9))

    assert cursor.floor == 2000, "6 was given after this look, 7 may have written since"


def test_the_end_of_those_that_were_open_before_is_told() -> None:
    cursor = Cursor(longest_ms=LONGEST_MS)

    told = [cursor.advance(Mark(50_000, 5, 7)), cursor.advance(Mark(51_000, 6, 9))]
    assert (told, cursor.is_settled) == ([False, False], False)

    assert cursor.advance(Mark(52_000, 7, 9))
    assert cursor.is_settled


def test_one_that_stays_open_for_too_long_is_told_when_it_ends() -> None:
    cursor = Cursor(longest_ms=LONGEST_MS)
    told = [cursor.advance(Mark(0, 1, 1))]
    told += [cursor.advance(Mark(at * 1000, 1, 2 + at)) for at in range(1, 21)]
    assert (told, cursor.floor) == ([False] * 21, 10_000)

    assert cursor.advance(Mark(21_000, 23, 23))
    assert not cursor.advance(Mark(22_000, 24, 24))
    assert cursor.floor == 22_000


def test_a_clock_that_is_set_back_takes_the_floor_with_it() -> None:
    cursor = Cursor(longest_ms=LONGEST_MS)
    cursor.advance(Mark(100_000, 0, 0))

    cursor.advance(Mark(40_000, 0, 0))
    assert cursor.floor == 40_000

    cursor.advance(Mark(41_000, 0, 0))
    assert cursor.floor == 41_000


@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 6000)), min_size=1, max_size=40),
    st.lists(st.integers(1, 700), min_size=1, max_size=60),
)
def test_no_row_appears_below_a_floor_that_was_told(
    transactions: list[tuple[int, int]], pauses: list[int]
) -> None:
    """Transactions write at their begin and appear at their end; looks happen at any times."""
    begun = sorted(begin for begin, _ in transactions)
    spans = sorted((begin, begin + length) for begin, length in transactions)
    numbered = list(enumerate(spans, start=1))
    cursor, at, floors = Cursor(longest_ms=1_000_000), -1, []
    cursor.advance(Mark(at, 1, 1))
    for pause in pauses:
        at += pause
        open_now = [number for number, (begin, end) in numbered if begin <= at < end]
        after = 1 + sum(begin <= at for begin in begun)
        cursor.advance(Mark(at, min(open_now, default=after), after))
        floors.append((at, cursor.floor))

    for seen_at, floor in floors:
        late = [begin for _, (begin, end) in numbered if end > seen_at]
        assert all(begin >= floor for begin in late)
