"""Jobs as the store knows them: what is checked of a call without the function."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rota.app.recorded import recorded_signature
from rota.errors import BadArguments
from rota.model.spec import JobSpec, PythonTarget
from rota.rules.signature.plain import plain_kind


def spec(parameters: dict[str, str], **fields: Any) -> JobSpec:
    return JobSpec(name="f", target=PythonTarget(ref="m:f"), parameters=parameters, **fields)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("int", int),
        ("str | None", str | None),
        ("Optional[float]", float | None),
        ("list[dict[str, bool]]", list[dict[str, bool]]),
        ("dict[int, str]", dict[str, Any]),
        ("list", list[Any]),
        ("Order", Any),
        ("int | Order", Any),
        ("list[Order]", list[Any]),
        ("Literal['a', 'b']", Any),
        ("not an annotation [", Any),
    ],
)
def test_only_what_every_reader_knows_is_a_type(annotation: str, kind: object) -> None:
    assert plain_kind(annotation) == kind


@pytest.mark.parametrize(
    "args",
    [
        {"a": 1},
        {"a": 1, "b": None},
        {"a": 1, "b": 0.5, "c": {"any": "thing"}},
        {"a": 1, "width": 3, "kwargs": 4},
    ],
)
def test_what_the_function_takes_is_taken(args: dict[str, Any]) -> None:
    job = spec(
        {"a": "int", "b": "float", "c": "Order"}, defaults={"b": None, "c": None}, more="int"
    )

    assert msgspec.json.decode(recorded_signature(job).bind((), args)) == args


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"a": "x"}, "a: Expected `int`, got `str`"),
        ({"a": None}, "a: Expected `int`, got `null`"),
        ({"a": 1, "width": "x"}, "width: Expected `int`, got `str`"),
        ({"width": 3}, "missing a required argument: 'a'"),
    ],
)
def test_what_it_cannot_take_is_refused(args: dict[str, Any], said: str) -> None:
    job = spec({"a": "int"}, defaults={}, more="int")

    with pytest.raises(BadArguments) as refused:
        recorded_signature(job).bind((), args)

    assert said in str(refused.value)


def test_other_names_are_refused_where_none_are_taken() -> None:
    with pytest.raises(BadArguments, match="unexpected keyword argument 'width'"):
        recorded_signature(spec({"a": "int"}, defaults={})).bind((), {"a": 1, "width": 3})


def test_a_parameter_may_be_called_kwargs() -> None:
    job = spec({"kwargs": "int"}, defaults={}, more="str")

    assert recorded_signature(job).bind((), {"kwargs": 1, "x": "y"}) == '{"kwargs":1,"x":"y"}'
