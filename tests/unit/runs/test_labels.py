"""Rules of labels: which are allowed, how conditions are written, and when they hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadOption
from rota.model.runs.labels import MOST_LABELS, LabelValue
from rota.rules.runs.labels import (
    check_count,
    condition_texts,
    kind_of,
    matches,
    merged,
    parse_condition,
    parse_conditions,
    read_labels,
    text_of,
    value_of,
)

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
VALUES = (
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=20)
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
)


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ("team=billing", "not a mapping"),
        ({"team!": "a"}, "'team!' is not a name"),
        ({"1st": "a"}, "'1st' is not a name"),
        ({"x" * 65: "a"}, "not a name"),
        ({7: "a"}, "7 is not a name"),
        ({"team": ""}, "team='' is not a text of 1 to 256"),
        ({"team": "a" * 257}, "not a text of 1 to 256"),
        ({"team": "a\0b"}, "printable"),
        ({"team": ["a"]}, "is not a text, a number"),
        ({"team": None}, "is not a text, a number"),
        ({"n": float("nan")}, "is not a number up to 2"),
        ({"n": 2**53 + 1}, "is not a number up to 2"),
        ({"at": datetime(2026, 1, 1)}, "without a time zone"),  # noqa: DTZ001 - on purpose
        ({f"l{n}": n for n in range(MOST_LABELS + 1)}, "33 labels are too many"),
    ],
)
def test_a_bad_label_is_refused_with_its_field_and_the_reason(labels: Any, says: str) -> None:
    with pytest.raises(BadOption, match=f"^labels.*{says}"):
        read_labels("labels", labels)


def test_whole_numbers_are_integers_and_instants_are_texts_in_utc() -> None:
    paris = NOON.astimezone(timezone(timedelta(hours=1)))

    assert read_labels("labels", {"n": 12.0, "at": paris}) == {
        "n": 12,
        "at": "2026-12-01T12:00:00.000Z",
    }
    assert isinstance(read_labels("labels", {"n": 12.0})["n"], int)


@given(VALUES)
def test_a_stored_value_is_read_as_it_was_given(value: LabelValue) -> None:
    stored = read_labels("labels", {"x": value})["x"]

    back = value_of(kind_of(stored), text_of(stored))

    assert back == value
    assert type(back) is type(stored)
    assert matches([parse_condition(f"x={text_of(stored)}")], {"x": stored})


@given(st.integers(-50, 50) | st.floats(-50, 50), st.integers(-50, 50))
def test_numbers_are_compared_as_numbers(value: float, bound: int) -> None:
    labels = read_labels("labels", {"x": value})

    for sign, holds in {
        ">": value > bound,
        ">=": value >= bound,
        "<": value < bound,
        "<=": value <= bound,
    }.items():
        assert matches([parse_condition(f"x{sign}{bound}")], labels) is holds


@pytest.mark.parametrize(
    ("condition", "labels", "holds"),
    [
        ("team", {"team": "a"}, True),
        ("team", {"other": "a"}, False),
        ("team=12", {"team": "12"}, True),
        ("team=12", {"team": 12}, True),
        ("team = a=b", {"team": "a=b"}, True),
        ("urgent=true", {"urgent": True}, True),
        ("urgent>0", {"urgent": True}, False),
        ("n>many", {"n": 12}, False),
        ("name>b", {"name": "c"}, True),
        ("at>2026-12-01T12:59+01:00", {"at": "2026-12-01T12:00:00.000Z"}, True),
        ("at<2026-12-02", {"at": "2026-12-01T12:00:00.000Z"}, True),
    ],
)
def test_a_condition_holds(condition: str, labels: Any, *, holds: bool) -> None:
    assert matches([parse_condition(condition)], labels) is holds


@pytest.mark.parametrize("text", ["", "=a", "team!=a", "a b", "1=2", "team~a"])
def test_a_condition_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadOption, match=r"^label=.* is not a condition"):
        parse_condition(text)


def test_more_conditions_than_ten_are_refused() -> None:
    with pytest.raises(BadOption, match="11 conditions"):
        parse_conditions(f"l{n}" for n in range(11))


def test_later_labels_win_and_all_are_counted() -> None:
    assert merged({"team": "a", "x": 1}, None, {"team": "b"}) == {"team": "b", "x": 1}
    assert merged(None, {}) is None
    many = merged({f"a{n}": n for n in range(20)}, {f"b{n}": n for n in range(20)})
    with pytest.raises(BadOption, match="40 labels"):
        check_count(many or {})


def test_conditions_are_given_as_texts_or_as_values() -> None:
    assert condition_texts({"urgent": True, "n": 12.0, "at": NOON}) == [
        "urgent=true",
        "n=12",
        "at=2026-12-01T12:00:00.000Z",
    ]
    assert condition_texts("n>10") == ["n>10"]
    assert condition_texts(["n>10"]) == ["n>10"]
    assert condition_texts(None) == []
    assert json.dumps(condition_texts({})) == "[]"
