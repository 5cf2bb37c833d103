"""Describing exceptions: whatever user code raises becomes bounded, storable text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import RotaError
from rota.model.runs.run import ErrorDetail
from rota.runtime.attempts.context import current_run
from rota.runtime.attempts.error_text import (
    MAX_MESSAGE,
    MAX_TRACEBACK,
    bounded,
    describe,
    type_names,
)


class Odd(ValueError):
    def __str__(self) -> str:
        raise SystemExit(3)


def caught(exc: BaseException, cause: BaseException | None = None) -> ErrorDetail:
    with pytest.raises(type(exc)) as info:
        raise exc from cause
    return describe(info.value)


def test_an_error_has_its_qualified_type_message_and_the_users_frames() -> None:
    detail = caught(ValueError("no such cat"))

    assert (detail.type, detail.message) == ("ValueError", "no such cat")
    assert "in caught" in detail.traceback
    assert detail.traceback.endswith("ValueError: no such cat")


def test_a_class_of_a_module_is_named_with_it() -> None:
    assert caught(RotaError("x")).type == "rota.errors.RotaError"
    assert type_names(Odd()) == (f"{__name__}.Odd", "ValueError", "Exception", "BaseException")


def test_an_exception_whose_str_raises_is_survived() -> None:
    assert "__str__ raised SystemExit" in caught(Odd()).message


def test_frames_of_rota_are_dropped() -> None:
    with pytest.raises(RotaError) as info:
        current_run()

    detail = describe(info.value)

    assert "runtime/attempts/context.py" not in detail.traceback
    assert "test_error_text.py" in detail.traceback


def test_causes_are_shown_oldest_first_and_cycles_end() -> None:
    first, second = KeyError("first"), ValueError("second")
    first.__cause__ = second

    detail = caught(second, cause=first)

    assert detail.traceback.index("first") < detail.traceback.index("ValueError: second")
    assert "direct cause" in detail.traceback


def test_notes_and_members_of_a_group_are_shown() -> None:
    exc = ExceptionGroup("two things", [KeyError("a"), ValueError("b")])
    exc.add_note("while feeding the cat")

    text = caught(exc).traceback

    assert "while feeding the cat" in text
    assert "ValueError: b" in text


def test_a_huge_message_is_cut_in_the_middle() -> None:
    detail = caught(ValueError("head" + "x" * 1_000_000 + "tail"))

    assert detail.message.startswith("head")
    assert detail.message.endswith("tail")
    assert "characters cut" in detail.message
    assert len(detail.message) < MAX_MESSAGE + 100


def test_a_deep_recursion_is_bounded() -> None:
    def ping(n: int) -> int:
        return pong(n) + 1

    def pong(n: int) -> int:
        return ping(n) + 1

    with pytest.raises(RecursionError) as info:
        ping(1)

    assert len(describe(info.value).traceback) < MAX_TRACEBACK + 100


def test_a_chain_of_thousands_of_causes_is_bounded() -> None:
    last: BaseException | None = None
    for number in range(5_000):
        link = ValueError(f"link {number}")
        link.__cause__, last = last, link

    assert last is not None
    text = describe(last).traceback

    assert "link 4999" in text
    assert "link 4000" not in text


@given(st.text(st.characters(), max_size=200), st.integers(min_value=0, max_value=50))
def test_bounded_text_can_always_be_stored(text: str, limit: int) -> None:
    short = bounded(text, limit)

    assert "\0" not in short
    assert short.encode().decode() == short
    assert len(short) <= limit + 60
