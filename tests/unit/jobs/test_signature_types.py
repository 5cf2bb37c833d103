"""Types of arguments and results: each reaches the other side as its annotation says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict
from uuid import UUID

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadArguments, BadResult
from rota.rules.jobs.signature import Signature


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1


class Mode(StrEnum):
    FAST = "fast"


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Circle:
    centre: Point
    radius: float
    tags: set[str] = field(default_factory=set)


class Size(NamedTuple):
    width: int
    height: int


class Options(TypedDict):
    depth: int


class Order(msgspec.Struct):
    id: UUID
    total: Decimal


class Customer(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)

    name: str
    since: date


class Opaque:
    """A class that JSON knows nothing about."""


SAMPLES: list[tuple[Any, Any]] = [
    (str, "né ☃ \x00"),
    (int, -5),
    (int, 2**64),
    (int, -(2**100)),
    (float, 0.1),
    (float, 3),
    (bool, True),
    (None, None),
    (bytes, b"\x00\xff"),
    (datetime, datetime(2024, 3, 10, 2, 30, tzinfo=UTC)),
    (datetime, datetime(2024, 3, 10, 2, 30)),  # noqa: DTZ001  # stays naive
    (date, date(2024, 2, 29)),
    (time, time(1, 2, 3)),
    (timedelta, timedelta(days=1, microseconds=5)),
    (UUID, UUID(int=7)),
    (Decimal, Decimal("1.10")),
    (Colour, Colour.BLUE),
    (Level, Level.LOW),
    (Mode, Mode.FAST),
    (list[int], [1, 2]),
    (tuple[int, str], (1, "a")),
    (tuple[int, ...], (1, 2, 3)),
    (set[str], {"b", "a"}),
    (frozenset[int], frozenset({3, 1})),
    (dict[str, Point], {"a": Point(1, 2)}),
    (dict[int, str], {1: "a"}),
    (Circle, Circle(Point(1), 2.5, {"x"})),
    (Size, Size(1, 2)),
    (Options, {"depth": 3}),
    (Order, Order(id=UUID(int=1), total=Decimal("9.99"))),
    (Customer, Customer(name="Ada", since=date(2024, 1, 1))),
    (list[Customer], [Customer(name="Ada", since=date(2024, 1, 1))]),
    (Path, Path("/tmp/a b")),
    (Optional[Path], None),  # noqa: UP045  # the old way is still about
    (int | str, "a"),
    (int | None, None),
    (datetime | None, datetime(2024, 1, 1, tzinfo=UTC)),
    (Literal["a", "b"], "b"),
    (Annotated[int, msgspec.Meta(ge=0)], 0),
    (Point | Size, Size(1, 2)),
    (Point | Circle, Circle(Point(1), 1.0)),
    (list[Path | int], [Path("a"), 1]),
    (Path | int | None, None),
    (Any, {"a": [1, None, "x"]}),
]


def taking(kind: Any) -> Callable[..., Any]:
    """A handler whose parameter and result have this annotation."""

    def handler(value: Any) -> Any:
        return value

    handler.__annotations__ = {"value": kind, "return": kind}
    return handler


@pytest.mark.parametrize(("kind", "value"), SAMPLES, ids=[str(kind) for kind, _ in SAMPLES])
def test_a_value_reaches_the_handler_as_its_annotation_says(kind: Any, value: Any) -> None:
    signature = Signature.of(taking(kind))

    loaded = signature.load(signature.bind((value,), {}))["value"]

    assert loaded == value
    assert type(loaded) is (float if kind is float else type(value))


@pytest.mark.parametrize(("kind", "value"), SAMPLES, ids=[str(kind) for kind, _ in SAMPLES])
def test_a_result_reaches_the_client_as_the_annotation_says(kind: Any, value: Any) -> None:
    signature = Signature.of(taking(kind))

    loaded = signature.load_result(signature.dump_result(value))

    assert loaded == value
    assert type(loaded) is (float if kind is float else type(value))


def test_a_set_gives_the_same_text_whatever_its_order() -> None:
    signature = Signature.of(taking(set[str]))
    words = {f"word{n}" for n in range(50)}

    text = signature.bind((words,), {})

    assert msgspec.json.decode(text) == {"value": sorted(words)}


def test_the_order_of_a_dict_is_kept() -> None:
    signature = Signature.of(taking(dict[str, int]))

    loaded = signature.load(signature.bind(({"b": 1, "a": 2},), {}))

    assert list(loaded["value"]) == ["b", "a"]


def test_an_error_deep_in_an_argument_names_its_path() -> None:
    signature = Signature.of(taking(list[Circle]))

    with pytest.raises(BadArguments, match=r"value\[0\].centre.x: Expected `int`, got `str`"):
        signature.bind(([{"centre": {"x": "1"}, "radius": 1}],), {})


@pytest.mark.parametrize("value", [[math.inf], {"a": (1, -math.inf)}, Circle(Point(1), math.nan)])
def test_endless_numbers_are_refused_wherever_they_hide(value: object) -> None:
    signature = Signature.of(taking(Any))

    with pytest.raises(BadArguments, match="value: NaN and infinity"):
        signature.bind((value,), {})
    with pytest.raises(BadResult, match="NaN and infinity"):
        signature.dump_result(value)


def test_a_value_that_contains_itself_is_refused() -> None:
    signature = Signature.of(taking(Any))
    circle: list[Any] = []
    circle.append(circle)

    with pytest.raises(BadArguments, match="contains itself"):
        signature.bind((circle,), {})
    with pytest.raises(BadResult, match="contains itself"):
        signature.dump_result(circle)


def test_text_is_not_taken_for_bytes() -> None:
    with pytest.raises(BadArguments, match="value: Expected `bytes`, got `str`"):
        Signature.of(taking(bytes)).bind(("abcd",), {})


def test_text_nested_too_deeply_is_refused() -> None:
    text = '{"value":' + "[" * 100_000 + "]" * 100_000 + "}"

    with pytest.raises(BadArguments, match="nested too deeply"):
        Signature.of(taking(Any)).load(text)


def test_none_is_taken_where_it_is_the_default() -> None:
    def call(name: str = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013  # as often written

    signature = Signature.of(call)

    assert signature.load(signature.bind((None,), {})) == {"name": None}


def test_an_annotation_that_cannot_be_found_counts_as_any_and_spares_the_others() -> None:
    def lost(a: Missing, b: Point) -> Missing: ...  # type: ignore[name-defined]  # noqa: F821  # on purpose

    signature = Signature.of(lost)

    loaded = signature.load(signature.bind(({"x": 1}, Point(1)), {}))

    assert loaded == {"a": {"x": 1}, "b": Point(1)}
    assert signature.load_result('{"x":1}') == {"x": 1}
    assert signature.parameters == {"a": "Missing", "b": "Point"}


def test_a_class_defined_after_the_handler_is_found() -> None:
    signature = Signature.of(uses_later)

    assert signature.load(signature.bind((Later(n=1),), {})) == {"it": Later(n=1)}


def uses_later(it: Later) -> None: ...


@dataclass
class Later:
    n: int


def test_a_type_that_json_cannot_give_back_is_refused_at_the_first_submit() -> None:
    def bad(it: Opaque) -> None: ...

    with pytest.raises(BadArguments, match="it: Opaque is not JSON"):
        Signature.of(bad).bind((Opaque(),), {})
    with pytest.raises(BadArguments, match="it: Expected `Opaque`, got `int`"):
        Signature.of(bad).bind((1,), {})


def test_a_type_that_cannot_be_read_at_all_is_refused_by_parameter() -> None:
    @dataclass
    class Broken:
        it: NowhereToBeFound  # type: ignore[name-defined]  # noqa: F821  # on purpose

    with pytest.raises(BadArguments, match="parameter value"):
        Signature.of(taking(Broken)).bind((1,), {})


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(plain)
def test_any_json_value_survives_the_way_there_and_back(value: object) -> None:
    signature = Signature.of(taking(Any))

    assert signature.load(signature.bind((value,), {})) == {"value": value}
    assert signature.load_result(signature.dump_result(value)) == value


def test_object_takes_anything() -> None:
    def end(a: object = None, rows: list[object] | None = None) -> None: ...

    signature = Signature.of(end)

    text = signature.bind((5,), {"rows": [1, "x", {"y": None}]})
    assert signature.load(text) == {"a": 5, "rows": [1, "x", {"y": None}]}
