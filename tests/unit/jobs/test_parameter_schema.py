"""Annotations as JSON Schema: what is known is told, what is not allows anything."""

from __future__ import annotations

from typing import Any

import pytest

from rota.model.graphs.graph import Graph, Node, Parameter
from rota.model.jobs.spec import CommandTarget, GraphTarget, JobSpec, PythonTarget
from rota.rules.jobs.parameter_schema import of_annotation, schema_of


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("int", {"type": "integer"}),
        ("str | None", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("Optional[int]", {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("list", {"type": "array", "items": {}}),
        (
            "dict[str, float]",
            {"type": "object", "additionalProperties": {"type": "number"}},
        ),
        ("datetime.datetime", {"type": "string", "format": "date-time"}),
        ("Literal['warm', 'cold']", {"enum": ["warm", "cold"]}),
        ("typing.Literal[3]", {"enum": [3]}),
        ("Literal[1, 2]", {"enum": [1, 2]}),
        ("list[Literal['a']]", {"type": "array", "items": {}}),
        ("Literal[run()]", {}),
        ("shop.Order", {}),
        ("Any", {}),
        ("what[is, this", {}),
    ],
)
def test_an_annotation_is_a_schema(annotation: str, schema: dict[str, Any]) -> None:
    assert of_annotation(annotation) == {**schema, "description": annotation}


def test_a_function_tells_its_defaults_and_what_must_be_given() -> None:
    spec = JobSpec(
        name="f",
        target=PythonTarget(ref="m:f"),
        parameters={"a": "int", "b": "str", "c": "float | None"},
        defaults={"b": "x", "c": None},
    )

    schema = schema_of(spec)

    assert schema["required"] == ["a"]
    assert schema["properties"]["b"] == {"type": "string", "description": "str", "default": "x"}
    assert "default" not in schema["properties"]["c"]


def test_a_function_may_take_arguments_of_any_name() -> None:
    target = PythonTarget(ref="m:f")

    typed = schema_of(JobSpec(name="f", target=target, defaults={}, more="list[int]"))
    loose = schema_of(JobSpec(name="f", target=target, defaults={}, more="Any"))

    assert typed["additionalProperties"] == {
        "type": "array",
        "items": {"type": "integer"},
        "description": "list[int]",
    }
    assert loose["additionalProperties"] == {"description": "Any"}


def test_of_an_older_function_nothing_is_required_and_of_a_command_everything() -> None:
    hints = {"a": "int", "b": "str"}
    function = JobSpec(name="f", target=PythonTarget(ref="m:f"), parameters=hints)
    command = JobSpec(name="c", target=CommandTarget(argv=("x", "{a}", "{b}")), parameters=hints)

    assert "required" not in schema_of(function)
    assert schema_of(command)["required"] == ["a", "b"]


def test_a_graph_tells_its_defaults() -> None:
    graph = Graph(
        name="g",
        nodes=(Node(name="n", job="j"),),
        parameters={"day": Parameter(type="str"), "n": Parameter(type="int", default=3)},
    )
    spec = JobSpec(name="g", target=GraphTarget(graph=graph), parameters={"day": "str", "n": "int"})

    schema = schema_of(spec)

    assert schema["required"] == ["day"]
    assert schema["properties"]["n"] == {"type": "integer", "description": "int", "default": 3}
