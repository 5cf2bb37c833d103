"""Templates of commands and requests: what is replaced, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadArguments, BadOption
from rota.rules.text.template import fill, placeholders


def test_names_are_found_once_each_in_order_of_first_use() -> None:
    assert placeholders(["--to={user}", "{file}", "{user}/{n}"]) == ("user", "file", "n")


def test_doubled_braces_are_braces() -> None:
    texts = ['{{"id": {id}}}', "{{not_a_name}}", "{{{id}}}"]

    assert placeholders(texts) == ("id",)
    assert [fill(text, {"id": 7}) for text in texts] == ['{"id": 7}', "{not_a_name}", "{7}"]


@pytest.mark.parametrize(
    ("value", "text"),
    [("a b", "a b"), (3, "3"), (1.5, "1.5"), (True, "true"), ("", ""), ("$(rm)", "$(rm)")],
)
def test_a_value_is_put_in_as_one_piece_of_text(value: str | float, text: str) -> None:
    assert fill("<{it}>", {"it": value}) == f"<{text}>"


def test_a_value_that_looks_like_a_placeholder_is_not_filled_again() -> None:
    assert fill("{a}{b}", {"a": "{b}", "b": "{{"}) == "{b}{{"


def test_a_missing_value_is_refused_by_name() -> None:
    with pytest.raises(BadArguments, match=r"no value is given for \{file\}"):
        fill("cat {file}", {"other": "x"})


@pytest.mark.parametrize("text", ["{", "a}", '{"id": 1}', "{a b}", "{}", "{1a}", "{a}}"])
def test_a_lone_brace_is_refused_with_the_way_to_write_it(text: str) -> None:
    with pytest.raises(BadOption, match="lone"):
        placeholders([text])


def test_a_word_of_python_is_no_name() -> None:
    with pytest.raises(BadOption, match=r"\{class\}"):
        placeholders(["{class}"])


@given(st.text())
def test_any_text_comes_through_when_its_braces_are_doubled(text: str) -> None:
    doubled = text.replace("{", "{{").replace("}", "}}")

    assert placeholders([doubled]) == ()
    assert fill(doubled, {}) == text
