"""Models of pydantic have a form for people; only the model itself says what it reads."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import pydantic

from rota.rules.jobs.signature.described import described
from rota.rules.jobs.signature.pydantic_forms import form_of
from rota.rules.jobs.signature.schemas import kind_of


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Line(pydantic.BaseModel):
    item: str
    many: int = pydantic.Field(default=1, ge=1, description="How many of it")


class Order(pydantic.BaseModel):
    kind: Literal["order"] = "order"
    day: date
    colour: Colour = Colour.BLUE
    lines: list[Line] = []
    by_name: dict[str, Line] = {}
    note: Line | None = None


class Tree(pydantic.BaseModel):
    children: list[Tree] = []


class Strange(pydantic.BaseModel):
    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:  # noqa: ARG003
        raise pydantic.PydanticUserError("it has none", code=None)


@dataclass
class Parcel:
    order: Order
    weight: float


LINE = {
    "type": "object",
    "required": ["item"],
    "properties": {
        "item": {"type": "string"},
        "many": {"type": "integer", "minimum": 1, "default": 1, "description": "How many of it"},
    },
}


def test_a_form_has_the_fields_of_all_models_inside() -> None:
    form = form_of(Order)

    assert form is not None
    assert form["required"] == ["day"]
    fields = form["properties"]
    assert fields["kind"]["enum"] == ["order"]
    assert fields["day"] == {"type": "string", "format": "date"}
    assert fields["colour"]["enum"] == ["red", "blue"]
    assert fields["colour"]["default"] == "blue"
    assert fields["lines"]["items"] == LINE
    assert fields["by_name"]["additionalProperties"] == LINE
    assert fields["note"]["anyOf"] == [LINE, {"type": "null"}]


def test_a_model_within_itself_ends() -> None:
    form = form_of(Tree)

    assert form is not None
    assert "items" in form["properties"]["children"]


def test_a_form_is_recorded_beside_a_schema_that_allows_anything() -> None:
    schema = described(Order)

    assert set(schema) == {"form"}
    assert kind_of(schema) is Any
    assert set(described(Parcel)["properties"]["order"]) == {"form"}


def test_a_model_without_a_schema_or_with_a_huge_one_has_no_form() -> None:
    fields: Any = {f"a_field_with_a_long_name_{each}": (int, ...) for each in range(500)}

    assert form_of(Strange) is None
    assert form_of(pydantic.create_model("Huge", **fields)) is None
    assert described(Strange) == {}
