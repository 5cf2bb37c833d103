"""Times as texts."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from rota.clock import to_ms, to_text

MOMENTS = st.integers(0, 253_402_300_799_999)


@given(st.lists(MOMENTS))
def test_texts_of_times_sort_as_the_times_do(moments: list[int]) -> None:
    assert sorted(map(to_text, moments)) == [to_text(each) for each in sorted(moments)]


@given(MOMENTS)
def test_the_text_of_a_time_is_that_time(moment: int) -> None:
    assert to_ms(datetime.fromisoformat(to_text(moment))) == moment
