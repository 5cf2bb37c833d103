"""The shape of a graph: its plan, plus the needs of each node, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from rota.model.graphs.graph import Node
from rota.rules.graphs import GraphPlan, remaining
from rota.rules.graphs.expressions.cel import Values
from rota.rules.graphs.expressions.text import mentioned_in, tokens_of
from rota.rules.graphs.maps import Tolerance, parse_tolerance
from rota.rules.graphs.mentioned import nodes_with_error, values_of
from rota.rules.graphs.node_values import arguments_of
from rota.rules.graphs.order import urgencies
from rota.rules.graphs.references import mentions, parse_path
from rota.rules.text.duration import parse_duration

HIGHEST = 9
"""The priority of nodes on the longest path; just below `high`."""
DECIDING = ("branch", "short_circuit")
"""The kinds of nodes whose result decides which nodes come after them."""
_NOTHING = Values({}, {}, {})


class GraphShape:
    """A plan, plus the needs of its nodes, computed once."""

    def __init__(
        self, plan: GraphPlan, *, kinds: Mapping[str, Any], is_quiet: bool = False
    ) -> None:
        self.plan = plan
        self.kinds = kinds
        """The types of the graph's parameters."""
        self.is_quiet = is_quiet
        """Whether a failed run of the graph notifies no other job."""
        self.graph = plan.graph
        self.children = plan.children
        self.dependents = plan.dependents
        nodes = {name: each.node for name, each in plan.nodes.items()}
        self.asks = {name: _asked_by(node) for name, node in nodes.items()}
        """For each node, the nodes in its condition and its list: needed before it can begin."""
        self.needs = {name: _needed_by(node) for name, node in nodes.items()}
        """For each node, the nodes in its arguments and cache key: needed when it is claimed."""
        self.late = frozenset(
            name for name, node in nodes.items() if self.needs[name] or _has_item_key(node)
        )
        """Nodes completed at the claim: their arguments hold results, or their key an item."""
        self.given = frozenset(name for name, node in nodes.items() if _takes_params(node.args))
        """Nodes whose arguments hold parameters of the run."""
        self.result_needs = _mentioned_nodes(self.graph.result)
        self.wanted = frozenset().union(
            *self.asks.values(), *self.needs.values(), self.result_needs
        )
        """Nodes whose results another node or the graph's result needs."""
        self.errors = frozenset(nodes_with_error(self.graph.result)).union(
            *(_errors_asked_by(node) for node in nodes.values())
        )
        """Nodes whose error another node or the graph's result reads."""
        self.whole_result = _whole(self.graph.result, nodes)
        """The node whose unchanged result is the result of the run; None if there is none."""
        inner = (self.needs[name] for name, node in nodes.items() if node.graph is not None)
        kept_values = frozenset() if self.whole_result else self.result_needs
        deciding = {name for name, node in nodes.items() if node.kind in DECIDING}
        self.asked = frozenset().union(*self.asks.values(), *inner, kept_values, deciding)
        """Nodes whose results transactions read, so they must be kept in the database."""
        self.teardowns = [name for name, node in nodes.items() if node.kind == "teardown"]
        self.inner = [name for name, node in nodes.items() if node.graph is not None]
        self.sinks = sum(not below for below in self.children.values())
        self.first = [
            name for name, each in plan.nodes.items() if not each.parents or each.join == "always"
        ]
        """Nodes that may run before anything has ended."""
        self.timeout_ms = parse_duration(self.graph.timeout) if self.graph.timeout else None
        self.plain = {
            name: msgspec.json.encode(arguments_of(each.node, _NOTHING)).decode()
            for name, each in plan.nodes.items()
            if each.node.map is None and not any(mentions(each.node.args))
        }
        """The arguments, as JSON text, of unmapped nodes whose arguments refer to nothing."""

    @cached_property
    def urgency(self) -> dict[str, int]:
        """Priorities of nodes by the length of the path that is left; all nodes count the same."""
        ordered = list(self.plan.nodes)
        path_lengths = remaining(ordered, self.children, dict.fromkeys(ordered, 1.0))
        return urgencies(path_lengths, highest=HIGHEST)

    @cached_property
    def tolerances(self) -> dict[str, Tolerance]:
        return {
            name: parse_tolerance(each.node.map.tolerate)
            for name, each in self.plan.nodes.items()
            if each.node.map is not None
        }


def _needed_by(node: Node) -> frozenset[str]:
    key = None if node.cache is None else node.cache.key
    return _mentioned_nodes(node.args) | _mentioned_nodes(key)


def _has_item_key(node: Node) -> bool:
    """Whether the cache key may mention the item, which the claim must then know."""
    return node.map is not None and node.cache is not None and node.cache.key is not None


def _asked_by(node: Node) -> frozenset[str]:
    over = frozenset() if node.map is None else _mentioned_nodes(node.map.over)
    return over if node.when is None else over | mentioned_in(tokens_of(node.when)).nodes


def _errors_asked_by(node: Node) -> frozenset[str]:
    names = frozenset(name for _, value in values_of(node) for name in nodes_with_error(value))
    return names if node.when is None else names | mentioned_in(tokens_of(node.when)).errors()


def _takes_params(value: Any) -> bool:
    return any(
        mention.form == "$param"
        or (mention.form == "$expr" and mentioned_in(tokens_of(mention.text)).params)
        for mention in mentions(value)
    )


def _whole(result: Any, nodes: Mapping[str, Node]) -> str | None:
    if isinstance(result, dict) and result.keys() == {"$ref"}:
        name, steps = parse_path(result["$ref"])
        return None if steps or nodes[name].map is not None else name
    return None


def _mentioned_nodes(value: Any) -> frozenset[str]:
    names: set[str] = set()
    for mention in mentions(value):
        if mention.form in ("$ref", "$error"):
            names.add(parse_path(mention.text).name)
        elif mention.form == "$expr":
            names |= mentioned_in(tokens_of(mention.text)).nodes
    return frozenset(names)
