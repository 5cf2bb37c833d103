"""Values with references: mentioned, followed, resolved."""

from __future__ import annotations

from typing import Any

import pytest

from rota.errors import BadGraph
from rota.rules.graphs.references import Known, Mention, Path, mentions, parse_path, resolve

KNOWN = Known(
    results={"load": {"rows": [{"id": 5}], "odd key": 1}, "gone": None},
    params={"day": "monday", "box": {"a": [1, 2]}},
    evaluate=lambda text: f"<{text}>",
    item={"name": ["n"]},
)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("load", Path("load")),
        ("load.rows[0].id", Path("load", ("rows", 0, "id"))),
        ("load['odd key'][-1]", Path("load", ("odd key", -1))),
    ],
)
def test_a_path_is_a_name_and_steps(text: str, path: Path) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["", "1a", "load.", "load[x]", "load..a", "a b", "a" * 300, "é"])
def test_a_bad_path_is_refused(text: str) -> None:
    with pytest.raises(BadGraph):
        parse_path(text)


@pytest.mark.parametrize(
    ("value", "resolved"),
    [
        ({"$ref": "load.rows[0].id"}, 5),
        ({"$ref": "load['odd key']"}, 1),
        ({"$ref": "gone.whatever"}, None),
        ({"$ref": "never_ran"}, None),
        ({"$param": "box.a[1]"}, 2),
        ({"$item": ""}, {"name": ["n"]}),
        ({"$item": "name[0]"}, "n"),
        ({"$expr": "1 + 1"}, "<1 + 1>"),
        ({"$literal": {"$ref": "load"}}, {"$ref": "load"}),
        ([{"a": {"$param": "day"}}, 1, None], [{"a": "monday"}, 1, None]),
        ({"$ref": "load.rows", "b": 1}, {"$ref": "load.rows", "b": 1}),
    ],
)
def test_references_are_replaced_wherever_they_stand(value: Any, resolved: Any) -> None:
    assert resolve(value, KNOWN) == resolved


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("load.rws", "load.rws is not there; there are: rows, odd key"),
        ("load.rows[3]", r"load.rows\[3\] is not there; it is a list of 1"),
        ("load.rows.id", "it is a list of 1"),
        ("load.rows[0].id.x", "it is 5"),
    ],
)
def test_a_part_that_is_missing_is_told_with_what_there_is(text: str, says: str) -> None:
    with pytest.raises(BadGraph, match=says):
        resolve({"$ref": text}, KNOWN)


def test_mentions_tell_where_they_stand() -> None:
    value = {"a": [1, {"b": {"$ref": "x"}}], "c": {"$literal": {"$ref": "y"}}}

    assert list(mentions(value, "args")) == [Mention("$ref", "x", "args.a[1].b")]


def test_a_form_that_does_not_exist_and_endless_nesting_are_refused() -> None:
    deep: Any = 1
    for _ in range(40):
        deep = [deep]

    with pytest.raises(BadGraph, match=r"args.a: '\$rf' is none of \$ref"):
        list(mentions({"a": {"$rf": "x"}}, "args"))
    with pytest.raises(BadGraph, match=r"takes a text, not 3"):
        list(mentions({"a": {"$ref": 3}}, "args"))
    with pytest.raises(BadGraph, match="nested more than 32 deep"):
        list(mentions(deep, "args"))
