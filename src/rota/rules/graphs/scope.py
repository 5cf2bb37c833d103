"""Setups and teardowns: the nodes between them, and the setups that a node relies on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rota.errors import BadGraph
from rota.model.graphs.graph import ASIDE, Node

MAX_SETUPS = 100
"""The limit on setups and teardowns; each one costs a walk through the graph."""

Edges = Mapping[str, Sequence[str]]


def reachable(start: Iterable[str], edges: Edges) -> set[str]:
    """Return all nodes that can be reached, without the start itself."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        for each in edges[waiting.pop()]:
            if each not in reached:
                reached.add(each)
                waiting.append(each)
    return reached


def scopes(
    nodes: Mapping[str, Node], parents: Edges, children: Edges
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the further parents of teardowns, and each node's setups besides its direct parents.

    A teardown waits for every node between its setups and itself. A node relies on a setup above it
    that has no teardown, or one whose teardown comes after the node; a notify on none.
    """
    setups = [name for name, node in nodes.items() if node.kind == "setup"]
    teardowns = [name for name, node in nodes.items() if node.kind == "teardown"]
    if len(setups) + len(teardowns) > MAX_SETUPS:
        raise BadGraph(f"there are more than {MAX_SETUPS} setups and teardowns")
    below = {name: reachable([name], children) for name in setups}
    above = {name: reachable([name], parents) for name in teardowns}
    between = {
        name: _between(nodes[name], above[name], below, parents[name], nodes) for name in teardowns
    }
    relied: dict[str, list[str]] = {}
    for setup in setups:
        ends = [above[name] for name in teardowns if setup in nodes[name].setups]
        covered = below[setup].intersection(set().union(*ends)) if ends else below[setup]
        for name in covered:
            if setup not in parents[name] and nodes[name].kind not in ASIDE:
                relied.setdefault(name, []).append(setup)
    return between, relied


def _between(
    teardown: Node,
    above: set[str],
    below: Mapping[str, set[str]],
    direct: Sequence[str],
    nodes: Mapping[str, Node],
) -> list[str]:
    inside = set().union(*(below[setup] & above for setup in teardown.setups)) - set(direct)
    return [name for name in nodes if name in inside and nodes[name].kind != "teardown"]
