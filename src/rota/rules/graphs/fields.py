"""Check single fields of graphs and nodes: words, numbers and durations."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, get_args

from rota.errors import BadGraph, BadInput
from rota.model.graphs.graph import Cache, Graph, Kind, Map, Mode, Node
from rota.model.jobs.isolation import Isolation
from rota.rules.admission.order import parse_priority
from rota.rules.graphs.joins import JOINS
from rota.rules.graphs.maps import MAX_ITEMS, parse_tolerance
from rota.rules.graphs.references import form_of, is_name
from rota.rules.text.checks import hint, one_of, whole_number
from rota.rules.text.duration import parse_duration
from rota.rules.text.names import check_name

MAX_RETRIES = 1_000
MAX_LIMIT = 100_000
MAX_GROUP = 256
_GROUP = re.compile(r"[A-Za-z_]\w*(?:/[A-Za-z_]\w*){0,15}", re.ASCII)
_NAMES = "letters, digits and _, not beginning with a digit, so that expressions can name it"


def check_graph_fields(graph: Graph) -> None:
    check_name("graph", graph.name)
    one_of("mode", graph.mode, get_args(Mode))
    for name in graph.parameters:
        if not is_name(name):
            raise BadGraph(f"parameter {name!r:.64}: use up to 64 {_NAMES}")
    whole_number("retries", graph.retries, 0, MAX_RETRIES)
    for field, limit in (("max_nodes", graph.max_nodes), ("max_runs", graph.max_runs)):
        if limit is not None:
            whole_number(field, limit, 1, MAX_LIMIT)
    if graph.timeout is not None:
        _positive(graph.timeout)


def check_node_fields(graph: Graph, node: Node) -> None:
    """Check the fields of one node alone; BadGraph names the node and the field."""
    try:
        _check_node(graph, node)
    except BadInput as error:
        path = ("nodes", node.name)
        raise BadGraph(f"node {node.name!r:.64}: {error}", path=path) from error


def _check_node(graph: Graph, node: Node) -> None:
    if not is_name(node.name):
        raise BadGraph(f"a name has up to 64 {_NAMES}")
    if (node.job is None) == (node.graph is None):
        raise BadGraph("give it either a job or a graph")
    if node.join not in JOINS:
        raise BadGraph(
            f"join: {node.join!r:.64} is not a join.{hint(node.join, JOINS)} "
            f"Joins are: {', '.join(JOINS)}"
        )
    _check_kind(graph, node)
    values = _CHECKED(node)
    if values == _NONE:
        return
    for (field, check), value in zip(_CHECKS.items(), values, strict=True):
        if value is not None:
            try:
                check(value)
            except BadInput as error:
                raise BadGraph(f"{field}: {error}") from error


def _check_kind(graph: Graph, node: Node) -> None:
    if node.kind not in _KINDS:
        raise BadGraph(
            f"kind: {node.kind!r:.64} is not one of {', '.join(_KINDS)}.{hint(node.kind, _KINDS)}"
        )
    if node.kind == "teardown":
        if node.join not in ("all_success", "all_done_setup_success"):
            raise BadGraph(
                f"join: a teardown runs when all is done and a setup "
                f"succeeded; leave {node.join!r} out"
            )
        return
    if node.fails_run:
        raise BadGraph("fails_run is for teardowns; other leaves count anyway, a notify never")
    if graph.mode == "fail_fast" and node.join != "all_success" and node.kind != "notify":
        raise BadGraph(
            f"join: {node.join!r} has no meaning when the first failure ends "
            "the run; use all_success, or another mode than fail_fast"
        )
    if node.map is not None and node.kind != "work":
        raise BadGraph(f"map: a {node.kind} cannot be mapped")


def _positive(value: Any) -> None:
    if not parse_duration(value):
        raise BadGraph(f"{value!r:.64} is zero; leave it out instead")


def _retries(value: Any) -> None:
    whole_number("retries", value, 0, MAX_RETRIES)


def _priority(value: Any) -> None:
    if value != "critical_path":
        parse_priority(value)


def _group(value: Any) -> None:
    if len(value) > MAX_GROUP or not _GROUP.fullmatch(value):
        raise BadGraph(
            f"{value!r:.64} is not a group name; write load, or load/parts for a group in it"
        )


def _cache(cache: Cache) -> None:
    if cache.ttl is not None:
        _positive(cache.ttl)


def _map(mapping: Map) -> None:
    if mapping.concurrency is not None:
        whole_number("concurrency", mapping.concurrency, 1, MAX_LIMIT)
    whole_number("batch", mapping.batch, 1, MAX_ITEMS)
    parse_tolerance(mapping.tolerate)
    over = mapping.over
    if isinstance(over, list | tuple):
        if len(over) > MAX_ITEMS:
            raise BadGraph(f"{len(over):,} items are more than {MAX_ITEMS:,}; use batch=")
    elif not isinstance(over, dict) or form_of(over) in (None, "$literal", "$item"):
        raise BadGraph(f"{over!r:.64} is not a list, nor a reference to one")


_KINDS: tuple[str, ...] = get_args(Kind)
_CHECKS: dict[str, Callable[[Any], object]] = {
    "retries": _retries,
    "timeout": _positive,
    "queue": lambda value: check_name("queue", value),
    "priority": _priority,
    "isolation": lambda value: one_of("isolation", value, get_args(Isolation)),
    "group": _group,
    "map": _map,
    "cache": _cache,
}
_CHECKED = attrgetter(*_CHECKS)
_NONE = (None,) * len(_CHECKS)
