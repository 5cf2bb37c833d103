"""Types of the code as schemas, and back: what a job takes is known without its code."""

from __future__ import annotations

import enum
import typing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rota.errors import BadArguments
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.rules.jobs.parameter_schema import schema_of
from rota.rules.jobs.signature import Signature
from rota.rules.jobs.signature.described import described
from rota.rules.jobs.signature.schemas import kind_of
from rota.rules.jobs.stored_signature import recorded_signature


class Colour(enum.Enum):
    red = "r"
    blue = "b"


class Forgiving(enum.Enum):
    red = "r"

    @classmethod
    def _missing_(cls, value: object) -> Forgiving:  # noqa: ARG003
        return cls.red


@dataclass
class Address:
    city: str
    since: datetime | None = None
    tags: list[str] = field(default_factory=list)


@dataclass
class Tree:
    name: str
    parent: Tree | None = None


class Cat(msgspec.Struct, tag="cat"):
    lives: int


class Dog(msgspec.Struct, tag="dog", forbid_unknown_fields=True):
    name: str


class Row(typing.TypedDict, total=False):
    id: typing.Required[int]
    note: str


class Point(typing.NamedTuple):
    x: int
    y: int


class Own:
    """A class that nobody but the code can read."""


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Colour, "r", "green"),
        (Colour | None, None, 3),
        (Address, {"city": "Bonn", "since": "2026-01-01T00:00:00"}, {"city": 5}),
        (Address, {"city": "Bonn", "more": 1}, {"city": "Bonn", "since": "nope"}),
        (Address | None, None, "Bonn"),
        (list[Address], [{"city": "Bonn"}], [{"city": "Bonn"}, {}]),
        (dict[str, Address], {"a": {"city": "Bonn"}}, {"a": 1}),
        (Tree, {"name": "a", "parent": {"name": "b"}}, {"parent": None}),
        (Cat | Dog, {"type": "dog", "name": "Rex"}, {"type": "cow", "name": "Rex"}),
        (Dog, {"name": "Rex"}, {"name": "Rex", "more": 1}),
        (Row, {"id": 1}, {"note": "x"}),
        (Point, [1, 2], {"x": 1}),
        (set[int], [1, 2], ["x"]),
        (tuple[int, str], [1, "x"], [1]),
        (typing.Sequence[int], [1], [1, "x"]),
        (typing.Annotated[int, msgspec.Meta(ge=0)], 0, -1),
        (typing.Literal["a b", 2], 2, "c"),
        (date | int, "2026-02-28", "2026-02-30"),
        (timedelta, "PT5S", "5s"),
        (Path, "a/b", 5),
        (bytes, "QUJD", 5),
    ],
)
def test_a_recorded_type_takes_and_refuses_what_the_type_does(
    kind: Any, good: object, bad: object
) -> None:
    found = kind_of(msgspec.json.decode(msgspec.json.encode(described(kind))))
    job = JobSpec(
        name="f",
        target=PythonTarget(ref="m:f"),
        parameters={"it": "Own"},
        schemas={"it": described(kind)},
        defaults={},
    )

    recorded_signature(job).bind((), {"it": good})
    with pytest.raises(BadArguments, match="it"):
        recorded_signature(job).bind((), {"it": bad})

    assert found is not Any


@pytest.mark.parametrize("kind", [Own, Own | None, Forgiving, Any, object])
def test_a_type_that_reads_values_in_its_own_way_takes_anything(kind: Any) -> None:
    assert described(kind) == {}


def test_only_what_the_annotation_does_not_tell_is_recorded() -> None:
    class date(enum.Enum):  # noqa: N801  # another than everybody thinks of
        today = "today"

    def job(
        n: int,
        day: typing.Any,
        when: datetime,
        mode: typing.Literal["x", "y"],
        colour: Colour = Colour.red,
        *rest: Colour,
    ) -> None: ...

    job.__annotations__.update({"n": int, "day": date, "when": datetime, "rest": Colour})

    assert Signature.of(job).schemas == {
        "day": {"enum": ["today"]},
        "colour": {"enum": ["r", "b"]},
        "rest": {"type": "array", "items": {"enum": ["r", "b"]}},
    }


def test_choices_or_nothing_are_choices() -> None:
    assert described(Colour | None) == {"enum": ["r", "b", None]}


def test_a_form_offers_what_is_recorded() -> None:
    job = JobSpec(
        name="f",
        target=PythonTarget(ref="m:f"),
        parameters={"colour": "Colour"},
        schemas={"colour": described(Colour)},
        defaults={"colour": "r"},
    )

    offered = schema_of(job)["properties"]["colour"]

    assert offered == {"enum": ["r", "b"], "description": "Colour", "default": "r"}


def test_a_class_that_comes_later_or_is_enormous_is_left_to_the_worker() -> None:
    def later(it: Later) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    enormous: Any = typing.Literal[tuple(f"{at:0100}" for at in range(100))]

    def large(it: Any) -> None: ...

    large.__annotations__["it"] = enormous

    assert Signature.of(later).schemas == {}
    assert Signature.of(large).schemas == {"it": {}}
