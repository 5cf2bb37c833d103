"""Templates of jobs: blanks are declared and filled, values stay in one piece."""

from __future__ import annotations

from typing import Any

import pytest

from rota.errors import BadArguments, BadOption
from rota.model.jobs.template import Blank, Template
from rota.rules.jobs.templates import check_template, fill_template, schema_of


def template(definition: dict[str, Any], **parameters: Blank) -> Template:
    return check_template(Template(definition=definition, parameters=parameters))


def test_a_text_that_is_one_blank_takes_the_value_itself() -> None:
    made = template({"name": "a", "retries": "${n}"}, n=Blank(type="integer"))

    assert fill_template(made, {"n": 3}) == {"name": "a", "retries": 3}


def test_within_a_text_a_value_is_written_out() -> None:
    made = template(
        {"name": "${a}-${b}", "queue": ["x", {"y": "$$${b}"}]},
        a=Blank(),
        b=Blank(type="boolean"),
    )

    assert fill_template(made, {"a": "x", "b": True}) == {
        "name": "x-true",
        "queue": ["x", {"y": "$true"}],
    }


def test_a_value_is_not_looked_into_again() -> None:
    made = template({"name": "${a}"}, a=Blank())

    assert fill_template(made, {"a": "${a} $$ {b}"}) == {"name": "${a} $$ {b}"}


def test_in_requests_braces_of_a_value_are_no_placeholders() -> None:
    made = template({"http": {"url": "https://x/{id}?q=${q}"}}, q=Blank())

    assert fill_template(made, {"q": "{id}"}) == {"http": {"url": "https://x/{id}?q={{id}}"}}


def test_a_default_stands_in() -> None:
    made = template({"name": "${a}"}, a=Blank(default="b"))

    assert fill_template(made, {}) == {"name": "b"}
    assert schema_of(made)["required"] == []


@pytest.mark.parametrize(
    ("definition", "parameters", "says"),
    [
        ({"name": "${b}"}, {"a": Blank()}, r"\$\{b\} is not a parameter"),
        ({"name": "x"}, {"a": Blank()}, "has no"),
        ({"name": "x $ y"}, {}, "lone"),
        ({"name": "${}"}, {}, "not a parameter"),
        ({"name": "${a b}"}, {"a b": Blank()}, "not a name"),
    ],
)
def test_a_template_that_makes_no_sense_is_refused(
    definition: dict[str, Any], parameters: dict[str, Blank], says: str
) -> None:
    with pytest.raises(BadOption, match=says):
        template(definition, **parameters)


@pytest.mark.parametrize(
    "blank",
    [Blank(type="integer", default="x"), Blank(choices=("a",), default="b"), Blank(choices=(1,))],
)
def test_defaults_and_choices_must_fit_the_type(blank: Blank) -> None:
    with pytest.raises(BadArguments):
        template({"name": "${a}"}, a=blank)
