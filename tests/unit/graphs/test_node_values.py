"""What a node is given when it runs."""

from __future__ import annotations

from typing import Any

import pytest

from rota.errors import BadArguments, BadExpression, BadGraph
from rota.model.graphs.graph import Cache, Graph, Map, Node, Parameter
from rota.rules.graphs.expressions.cel import Values
from rota.rules.graphs.node_values import (
    arguments_of,
    bind_parameters,
    cache_key,
    is_wanted,
    items_of,
    result_of,
)

VALUES = Values(
    results={"load": {"rows": [1, 2]}, "skipped": None},
    states={"load": "success", "skipped": "skipped"},
    params={"day": "monday"},
    item={"id": 3},
    position=1,
)


def node(**fields: Any) -> Node:
    return Node(name="x", job="work", **fields)


def test_arguments_take_results_parameters_items_and_expressions() -> None:
    asked = node(
        args={
            "rows": {"$ref": "load.rows"},
            "day": {"$param": "day"},
            "more": [{"$expr": "item.id + index"}, {"$ref": "skipped.part"}],
        },
        map=Map(over=[1], into="item"),
    )

    assert arguments_of(asked, VALUES) == {
        "rows": [1, 2],
        "day": "monday",
        "more": [4, None],
        "item": {"id": 3},
    }


def test_a_condition_is_asked_and_its_errors_name_the_node() -> None:
    assert is_wanted(node(), VALUES)
    assert is_wanted(node(when="nodes.load.result.rows.size() == 2"), VALUES)
    assert not is_wanted(node(when="nodes.skipped.state == 'success'"), VALUES)
    with pytest.raises(BadExpression, match=r"node 'x': when: .*Key not found"):
        is_wanted(node(when="nodes.load.result.nope > 1"), VALUES)


def test_items_are_a_list_of_bearable_length() -> None:
    assert items_of(node(map=Map(over={"$ref": "load.rows"})), VALUES) == [1, 2]
    with pytest.raises(BadGraph, match=r"node 'x': map.over: None is not a list"):
        items_of(node(map=Map(over={"$ref": "skipped"})), VALUES)
    with pytest.raises(BadGraph, match=r"node 'x': map.over: load.nope is not there"):
        items_of(node(map=Map(over={"$ref": "load.nope"})), VALUES)
    long = VALUES._replace(params={"day": [0] * 100_001})
    with pytest.raises(BadGraph, match=r"100,001 items are more than 100,000"):
        items_of(node(map=Map(over={"$param": "day"})), long)


def test_a_cache_key_is_that_of_the_arguments_or_of_what_was_said() -> None:
    def key(cache: Cache, args: dict[str, int], version: int = 1) -> str:
        return cache_key(cache, ("work", version), args, VALUES)

    plain, keyed = Cache(), Cache(key={"$param": "day"})

    assert key(plain, {"a": 1, "b": 2}) == key(plain, {"b": 2, "a": 1})
    assert key(plain, {"a": 1}) != key(plain, {"a": 2})
    assert key(plain, {"a": 1}) != key(plain, {"a": 1}, version=2)
    assert key(keyed, {"a": 1}) == key(keyed, {"a": 2}, version=2)
    assert key(keyed, {"a": 1}) != cache_key(keyed, ("other", 1), {"a": 1}, VALUES)
    with pytest.raises(BadGraph, match=r"load\.nope is not there"):
        key(Cache(key={"$ref": "load.nope"}), {})


def test_parameters_of_a_run_are_bound_with_their_defaults() -> None:
    graph = Graph(
        name="g",
        nodes=(node(),),
        parameters={"day": Parameter(type="str"), "n": Parameter(default=None)},
        result={"last": {"$ref": "load.rows[-1]"}},
    )

    assert bind_parameters(graph, {"day": "x"}) == {"day": "x", "n": None}
    assert result_of(graph, VALUES) == {"last": 2}
    with pytest.raises(BadArguments, match="needs the parameter 'day'"):
        bind_parameters(graph, {})
    with pytest.raises(BadArguments, match=r"has no parameter 'dy'. Did you mean 'day'"):
        bind_parameters(graph, {"dy": 1})
