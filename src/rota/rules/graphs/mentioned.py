"""The parents of a node: those it names, and those whose results it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rota.errors import BadArguments, BadExpression, BadGraph, BadInput
from rota.model.graphs.graph import Graph, Node
from rota.rules.graphs.expressions.cel import Condition, Expression, Names, Values
from rota.rules.graphs.expressions.text import Mentioned, mentioned_in, tokens_of
from rota.rules.graphs.references import ERROR_PARTS, Mention, item_steps, mentions, parse_path
from rota.rules.runs.times import check_field
from rota.rules.text.checks import hint

_WAYS_INTO_ERROR: tuple[tuple[str | int, ...], ...] = ((), *((part,) for part in ERROR_PARTS))
_NOTHING = Values({}, {}, {})
_NOTHING_MENTIONED = Mentioned(frozenset(), frozenset(), item=False)


def values_of(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a node that may hold references."""
    if node.args:
        yield "args", node.args
    if node.map is not None:
        yield "map.over", node.map.over
    if node.cache is not None:
        yield "cache.key", node.cache.key


def parents_mentioned(graph: Graph, node: Node, nodes: Mapping[str, Node]) -> tuple[str, ...]:
    """Return each parent once, in order of mention; an unknown name raises BadGraph."""
    try:
        return tuple(_parents(graph, node, nodes))
    except BadInput as error:
        path = ("nodes", node.name)
        raise BadGraph(f"node {node.name!r}: {error}", path=path) from error


def _parents(graph: Graph, node: Node, nodes: Mapping[str, Node]) -> dict[str, None]:
    parents = dict.fromkeys((*node.after, *node.setups))
    for name in parents:
        if name not in nodes:
            field = "after" if name in node.after else "setups"
            raise _unknown("node", name, nodes, field)
    for field, value in values_of(node):
        if field == "args" and (whole := _whole_results(value, nodes)) is not None:
            parents.update(whole)
            continue
        for mention in mentions(value, field):
            has_item = node.map is not None and field != "map.over"
            for name in _nodes_in(graph, mention, nodes, has_item=has_item):
                parents[name] = None
    if node.when is not None:
        parents |= dict.fromkeys(_condition(graph, node, nodes))
    return parents


def _whole_results(args: Mapping[str, Any], nodes: Mapping[str, Node]) -> dict[str, None] | None:
    """Return the nodes if all arguments are whole results: the fast path for most nodes."""
    names: dict[str, None] = {}
    for value in args.values():
        name = value.get("$ref") if type(value) is dict and len(value) == 1 else None
        if not isinstance(name, str) or name not in nodes:
            return None
        names[name] = None
    return names


def _nodes_in(
    graph: Graph, mention: Mention, nodes: Mapping[str, Node], *, has_item: bool
) -> tuple[str, ...]:
    """Return the nodes that one reference mentions."""
    if mention.form == "$ref":
        name = parse_path(mention.text).name
        if name in nodes:
            return (name,)
    return nodes_in(graph, mention, nodes, has_item=has_item)


def nodes_in(
    graph: Graph, mention: Mention, nodes: Mapping[str, Node], *, has_item: bool
) -> tuple[str, ...]:
    """Return the nodes that a reference of any form mentions; BadGraph says what is wrong."""
    where = mention.place
    match mention.form:
        case "$ref" | "$error" | "$param":
            name, steps = parse_path(mention.text)
            is_node = mention.form != "$param"
            defined: Mapping[str, Any] = nodes if is_node else graph.parameters
            if name not in defined:
                raise _unknown("node" if is_node else "parameter", name, defined, where)
            if mention.form == "$error" and steps not in _WAYS_INTO_ERROR:
                raise BadGraph(
                    f"{where}: an error has {' and '.join(ERROR_PARTS)}, as in "
                    f"{name}.message; {mention.text!r:.64} is something else"
                )
            return (name,) if is_node else ()
        case "$item":
            if not has_item:
                raise BadGraph(f"{where}: only a mapped node has an item, in its args")
            item_steps(mention.text)
        case "$run":
            check_run_field(mention)
        case "$expr":
            names = Names(nodes, graph.parameters, has_item)
            parsed = Expression.parse(mention.text, names, where=where)
            return tuple(sorted(parsed.mentioned.nodes))
    return ()


def returned_nodes(result: Any) -> Iterator[str]:
    """Yield the nodes whose results a graph returns.

    An expression that reads the state or error of a node handles its failure itself, so that node
    is not included.
    """
    for mention in mentions(result):
        if mention.form == "$ref":
            yield parse_path(mention.text).name
        elif mention.form == "$expr":
            fields = mentioned_in(tokens_of(mention.text)).fields
            names = {name for name, field in fields if field != "result"}
            yield from (name for name, field in fields if field == "result" and name not in names)


def nodes_with_error(value: Any) -> Iterator[str]:
    """Yield the nodes whose errors a value reads."""
    for mention in mentions(value):
        if mention.form == "$error":
            yield parse_path(mention.text).name
        elif mention.form == "$expr":
            yield from mentioned_in(tokens_of(mention.text)).errors()


def check_run_field(mention: Mention) -> None:
    """Raise BadGraph if a reference reads a fact that runs do not have."""
    try:
        check_field(mention.text)
    except BadArguments as error:
        raise BadGraph(f"{mention.place}: {error}") from None


def _condition(graph: Graph, node: Node, nodes: Mapping[str, Node]) -> list[str]:
    condition = Condition.parse(node.when or "", Names(nodes, graph.parameters), where="when")
    if condition.mentioned == _NOTHING_MENTIONED:
        _check_constant(condition)
    return sorted(condition.mentioned.nodes)


def _check_constant(condition: Condition) -> None:
    if not condition.holds(_NOTHING):
        raise BadExpression(
            f"{condition.where}: {condition.text:.80} is never true, so the node can never run"
        )


def _unknown(what: str, name: str, defined: Mapping[str, Any], where: str) -> BadGraph:
    return BadGraph(f"{where}: there is no {what} {name!r:.64}.{hint(name, defined)}")
