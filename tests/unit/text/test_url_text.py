"""Bytes in links and headers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.url_text import from_url_text, to_url_text


@given(st.binary(max_size=100))
def test_bytes_come_back_from_a_text_that_needs_no_escape(data: bytes) -> None:
    text = to_url_text(data)

    assert re.fullmatch(r"[A-Za-z0-9_-]*", text)
    assert from_url_text(text) == data


@pytest.mark.parametrize("text", ["a", "abcde", "naïve"])
def test_a_text_that_holds_no_bytes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_url_text(text)
