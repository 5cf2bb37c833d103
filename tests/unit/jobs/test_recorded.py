"""Jobs as the store knows them: what is checked of a call without the function."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Literal

import msgspec
import pytest

from rota.errors import BadArguments
from rota.model.graphs.graph import Graph, Node, Parameter
from rota.model.jobs.spec import CommandTarget, GraphTarget, JobSpec, PythonTarget
from rota.rules.jobs.signature.plain import plain_kind
from rota.rules.jobs.stored_signature import recorded_signature


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
        ("Literal['a', 'b']", Literal["a", "b"]),
        ("Literal['a b'] | None", Literal["a b"] | None),
        ("Literal[Colour.red]", Any),
        ("datetime.date", date),
        ("datetime | None", datetime | None),
        ("list[timedelta]", list[timedelta]),
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
def test_recorded_arguments_bind_like_the_function(args: dict[str, Any]) -> None:
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
def test_arguments_that_the_recorded_function_lacks_are_refused(
    args: dict[str, Any], said: str
) -> None:
    job = spec({"a": "int"}, defaults={}, more="int")

    with pytest.raises(BadArguments) as refused:
        recorded_signature(job).bind((), args)

    assert said in str(refused.value)


def test_a_graph_takes_what_its_parameters_say() -> None:
    flow = Graph(
        name="f",
        nodes=(Node(name="a", job="j"),),
        parameters={
            "day": Parameter(type="str"),
            "parts": Parameter(type="list[int]", default=[]),
            "limit": Parameter(type="int", default=None),
        },
    )
    signature = recorded_signature(JobSpec(name="f", target=GraphTarget(graph=flow)))

    good = {"day": "monday", "parts": [1], "limit": None}
    assert msgspec.json.decode(signature.bind((), good)) == good
    for wrong, says in (
        ({"day": 5}, "day: Expected `str`, got `int`"),
        ({"day": "x", "parts": ["y"]}, r"parts\[0\]: Expected `int`, got `str`"),
        ({"day": None}, "day: Expected `str`, got `null`"),
        ({}, "missing a required argument: 'day'"),
        ({"day": "x", "dya": 1}, "unexpected keyword argument 'dya'"),
    ):
        with pytest.raises(BadArguments, match=says):
            signature.bind((), wrong)


def test_parameters_that_a_file_declares_are_given_and_of_their_types() -> None:
    job = spec({"start": "int", "stop": "int", "step": "int | None"}, defaults={"step": 2})

    assert recorded_signature(job).bind((), {"start": 1, "stop": 2}) == '{"start":1,"stop":2}'
    assert recorded_signature(job).bind((), {"start": 1, "stop": 2, "step": None})
    with pytest.raises(BadArguments, match="missing a required argument: 'stop'"):
        recorded_signature(job).bind((), {"start": 1})
    with pytest.raises(BadArguments, match="stop: Expected `int`, got `null`"):
        recorded_signature(job).bind((), {"start": 1, "stop": None})


def test_types_are_checked_where_defaults_are_not_on_record() -> None:
    job = spec({"start": "int", "stop": "int"})

    assert recorded_signature(job).bind((), {"start": 1, "stop": None}) == '{"start":1,"stop":null}'
    with pytest.raises(BadArguments, match=r"start: Expected `int \| null`, got `str`"):
        recorded_signature(job).bind((), {"start": "abc"})
    with pytest.raises(BadArguments, match="unexpected keyword argument 'foo'"):
        recorded_signature(job).bind((), {"start": 1, "foo": 3})


def test_a_function_of_which_nothing_is_declared_takes_any_names() -> None:
    assert recorded_signature(spec({})).bind((), {"days": 3}) == '{"days":3}'
    with pytest.raises(BadArguments):
        recorded_signature(spec({}, defaults={})).bind((), {"days": 3})


def test_a_program_needs_every_argument_it_names() -> None:
    target = CommandTarget(argv=("cp", "{source}", "{target}"))
    scalar = "str | int | float | bool"
    job = JobSpec(name="f", target=target, parameters={"source": scalar, "target": scalar})

    assert recorded_signature(job).bind((), {"source": "a", "target": 1})
    with pytest.raises(BadArguments, match="missing a required argument: 'target'"):
        recorded_signature(job).bind((), {"source": "a"})
    with pytest.raises(BadArguments, match="source: Expected"):
        recorded_signature(job).bind((), {"source": ["a"], "target": "b"})


def test_other_names_are_refused_where_none_are_taken() -> None:
    with pytest.raises(BadArguments, match="unexpected keyword argument 'width'"):
        recorded_signature(spec({"a": "int"}, defaults={})).bind((), {"a": 1, "width": 3})


def test_a_parameter_may_be_called_kwargs() -> None:
    job = spec({"kwargs": "int"}, defaults={}, more="str")

    assert recorded_signature(job).bind((), {"kwargs": 1, "x": "y"}) == '{"kwargs":1,"x":"y"}'
