"""The inputs of a node at run time: arguments, items, condition and cache key.

The graph was checked when it was submitted; only errors that depend on values are refused here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from rota.errors import BadArguments, BadGraph, BadInput
from rota.model.graphs.graph import Cache, Graph, Node
from rota.rules.graphs.expressions.cel import Condition, Expression, Values
from rota.rules.graphs.maps import MAX_ITEMS
from rota.rules.graphs.references import Known, resolve
from rota.rules.jobs.signature.plain import misfit
from rota.rules.text.checks import hint

_ENCODER = msgspec.json.Encoder(order="deterministic")


def bind_parameters(graph: Graph, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a run with defaults; BadArguments for unknown and missing ones."""
    for name in values:
        if name not in graph.parameters:
            raise BadArguments(
                f"graph {graph.name!r} has no parameter {name!r:.64}.{hint(name, graph.parameters)}"
            )
    bound: dict[str, Any] = {}
    for name, parameter in graph.parameters.items():
        value = values.get(name, parameter.default)
        if value is msgspec.UNSET:
            raise BadArguments(f"graph {graph.name!r} needs the parameter {name!r}")
        bound[name] = value
    return bound


def check_types(graph: Graph, bound: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """Raise BadArguments for a value that does not fit its parameter's type in `kinds`."""
    for name, parameter in graph.parameters.items():
        value = bound[name]
        wrong = None if value is parameter.default else misfit(name, value, kinds[name])
        if wrong is not None:
            raise BadArguments(f"graph {graph.name!r}: {wrong}; {name} is {parameter.type}")


def is_wanted(node: Node, values: Values) -> bool:
    """Whether the node's condition holds; true without a condition."""
    if node.when is None:
        return True
    where = f"node {node.name!r}: when"
    with _refusing(where, node.when):
        return Condition.parse(node.when, None, where=where).holds(values)


def arguments_of(node: Node, values: Values) -> dict[str, Any]:
    """Return the arguments for the job; for a mapped node, those for the item in `values`."""
    arguments: dict[str, Any] = _resolve(node, "args", node.args, values)
    if node.map is not None and node.map.into is not None:
        arguments[node.map.into] = values.item
    return arguments


def items_of(node: Node, values: Values) -> list[Any]:
    """Return the items of a mapped node; BadGraph if they are not a list, or too many."""
    if node.map is None:
        raise BadGraph(f"node {node.name!r} is not mapped")
    items = _resolve(node, "map.over", node.map.over, values)
    if not isinstance(items, list):
        raise BadGraph(f"node {node.name!r}: map.over: {items!r:.64} is not a list")
    if len(items) > MAX_ITEMS:
        raise BadGraph(
            f"node {node.name!r}: map.over: {len(items):,} items are more than {MAX_ITEMS:,}; "
            "let a job put them into batches"
        )
    return items


def cache_key(cache: Cache, job: tuple[str, int], args: Mapping[str, Any], values: Values) -> str:
    """Return the cache key of a result: a digest of the job and the key that the node defines.

    Without such a key the digest covers all known inputs: the version of the job, and its
    arguments.
    """
    name, version = job
    with _refusing("cache.key", cache.key):
        if cache.key is None:
            return _digest([name, version, args])
        return _digest([name, resolve(cache.key, _values_of(values, "cache.key"))])


def _digest(value: Any) -> str:
    return hashlib.sha256(_ENCODER.encode(value)).hexdigest()


def result_of(graph: Graph, values: Values) -> Any:
    """Return the result of a run of the graph."""
    with _refusing("result", graph.result):
        return resolve(graph.result, _values_of(values, "result"))


def _resolve(node: Node, field: str, value: Any, values: Values) -> Any:
    where = f"node {node.name!r}: {field}"
    try:
        with _refusing("", value):
            return resolve(value, _values_of(values, where))
    except (BadGraph, BadArguments) as error:
        raise BadGraph(f"{where}: {error}") from error


@contextmanager
def _refusing(where: str, value: Any) -> Iterator[None]:
    """Turn any error that a value causes in an expression into a refusal: no user code runs here.

    Values come from users: numbers that are too large, invalid text, endless nesting.
    """
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        place = f"{where}: " if where else ""
        raise BadGraph(f"{place}{value!r:.80}: {type(error).__name__}: {error!s:.200}") from error


def _values_of(values: Values, where: str) -> Known:
    return Known(
        results=values.results,
        params=values.params,
        evaluate=lambda text: Expression.parse(text, None, where=where).evaluate(values),
        item=values.item,
        run=values.run,
        errors=values.errors,
    )
