"""Tracing: while the function of a graph runs, calls of jobs make nodes instead of working."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rota.app.graphs.refs import Later, NodeRef, value_of
from rota.errors import BadGraph, BadOption, NotAllowed
from rota.model.graphs.graph import Cache, Map, Node
from rota.rules.graphs.plan import MAX_NODES
from rota.rules.text.checks import hint
from rota.rules.text.duration import format_duration, parse_duration

MAP_OPTIONS = frozenset({"batch", "concurrency", "into", "tolerate"})
NODE_OPTIONS = (frozenset(Node.__struct_fields__) - {"args", "graph", "job", "map"}) | MAP_OPTIONS
_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")
_MAX_NAME = 56
"""The most characters of a name, with room for a number behind it."""


class Trace:
    """The nodes of one graph while they are made."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self._group: tuple[str, ...] = ()

    def add(
        self,
        target: Mapping[str, str],
        args: Mapping[str, Any],
        options: Mapping[str, Any],
        mapped: Map | None = None,
    ) -> NodeRef:
        """Make a node; return the reference that stands for its result."""
        if len(self.nodes) >= MAX_NODES:
            raise BadGraph(f"there are more than {MAX_NODES:,} nodes; use .map(...) for items")
        fields: dict[str, Any] = {
            name: _READERS.get(name, _same)(value) for name, value in options.items()
        }
        name = self._name(fields.pop("name", None), *target.values())
        if self._group:
            inner = fields.get("group")
            fields["group"] = "/".join((*self._group, *([inner] if inner else ())))
        values = {key: value_of(value) for key, value in args.items()}
        fields |= target
        self.nodes[name] = Node(name=name, args=values, map=mapped, **fields)
        return NodeRef(name)

    @contextmanager
    def grouped(self, name: str) -> Iterator[None]:
        outer, self._group = self._group, (*self._group, name)
        try:
            yield
        finally:
            self._group = outer

    def _name(self, wished: str | None, default: str) -> str:
        if wished is not None:
            if wished in self.nodes:
                raise BadGraph(f"node {wished!r:.64} is there twice; give one another name")
            return wished
        name = _NO_NAME.sub("_", default)[:_MAX_NAME]
        name = f"_{name}" if name[:1].isdigit() else name
        number, free = 1, name
        while free in self.nodes:
            number += 1
            free = f"{name}_{number}"
        return free


_CURRENT: ContextVar[Trace | None] = ContextVar("rota_graph", default=None)


def current_trace() -> Trace | None:
    """Return the graph that is being traced here; None outside, where jobs are functions."""
    return _CURRENT.get()


@contextmanager
def tracing() -> Iterator[Trace]:
    trace = Trace()
    token = _CURRENT.set(trace)
    try:
        yield trace
    finally:
        _CURRENT.reset(token)


@contextmanager
def group(name: str) -> Iterator[None]:
    """Draw the nodes made inside together; outside a graph, do nothing."""
    trace = current_trace()
    if trace is None:
        yield
        return
    with trace.grouped(name):
        yield


def expr(text: str) -> Any:
    """Return a value that is computed when the graph runs, such as `expr("params.n * 2")`."""
    if current_trace() is None:
        raise NotAllowed(f"{text!r:.64} is for graphs that run; there is none here")
    return Later(text)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse an option that nodes do not have."""
    for name in options:
        if name not in NODE_OPTIONS:
            raise BadOption(
                f"a node has no option {name!r:.64}.{hint(name, NODE_OPTIONS)} "
                f"Options are: {', '.join(sorted(NODE_OPTIONS))}"
            )


def mapped_over(items: object, into: str | None, options: Mapping[str, Any]) -> Map:
    map_options = {name: value for name, value in options.items() if name in MAP_OPTIONS - {"into"}}
    return Map(over=value_of(items), into=into, **map_options)


def duration_text(value: Any) -> str:
    """Return a duration in the form of the model; a text stays as it was written."""
    return value if isinstance(value, str) else format_duration(parse_duration(value))


def _same(value: Any) -> Any:
    return value


def _names(value: Any) -> tuple[str, ...]:
    each: Iterable[Any] = value if isinstance(value, list | tuple) else (value,)
    return tuple(map(_name_of, each))


def _name_of(value: Any) -> str:
    if isinstance(value, NodeRef):
        return value.name
    if isinstance(value, str):
        return value
    raise BadGraph(f"{value!r:.64} is no node; give what its call returned, or its name")


def _condition(value: Any) -> str:
    if isinstance(value, Later):
        return value.alone
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    raise BadGraph(f"when={value!r:.64} is no condition; compare something, or write a text")


def _cache(value: Any) -> Cache:
    if isinstance(value, Cache):
        return value
    if isinstance(value, str):
        return Cache(ttl=value)
    if isinstance(value, dict) and value.keys() <= {"key", "ttl"}:
        return Cache(key=value_of(value.get("key")), ttl=value.get("ttl"))
    raise BadGraph(f'cache={value!r:.64}: write "1d" or {{"key": ..., "ttl": "1d"}}')


_READERS: dict[str, Callable[[Any], Any]] = {
    "after": _names,
    "setups": _names,
    "when": _condition,
    "cache": _cache,
    "timeout": duration_text,
}
