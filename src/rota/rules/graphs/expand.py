"""Expand sub-graphs into one flat set of nodes, each with a path such as `etl/load`.

Pictures, totals and estimates use this. A run does not: a node that is a graph is a run of its own,
and the nodes of that graph are its children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rota.errors import BadGraph
from rota.model.graphs.graph import Graph, Node
from rota.rules.graphs.plan import MAX_NODES, GraphPlan, Jobs, plan_graph
from rota.rules.text.checks import hint

MAX_DEPTH = 16


class Expanded(NamedTuple):
    """A node of a graph or of one of its sub-graphs."""

    path: str
    node: Node
    parents: tuple[str, ...]
    """The paths of the parents; a node after a sub-graph comes after the sub-graph's leaves."""
    depth: int
    is_graph: bool
    """Whether this node is a graph, with its nodes below its path."""


def expand(
    graph: Graph, graphs: Mapping[str, Graph], *, jobs: Jobs | None = None
) -> dict[str, Expanded]:
    """Return all nodes by path, parents first; BadGraph if a graph contains itself or is unknown.

    The node of a sub-graph stays and precedes the nodes within: those without parents follow it.
    """
    expander = _Expander(graphs, jobs)
    expander.add(graph, prefix="", above=(), way=(graph.name,))
    return expander.found


class _Expander:
    def __init__(self, graphs: Mapping[str, Graph], jobs: Jobs | None) -> None:
        self.found: dict[str, Expanded] = {}
        self._graphs = graphs
        self._jobs = jobs
        self._plans: dict[str, GraphPlan] = {}

    def add(
        self, graph: Graph, *, prefix: str, above: tuple[str, ...], way: tuple[str, ...]
    ) -> list[str]:
        """Add the nodes of a graph under a prefix and return the paths of its leaves."""
        plan = self._plan(graph)
        if len(self.found) + len(plan.nodes) > MAX_NODES:
            raise BadGraph(f"with all sub-graphs there are more than {MAX_NODES:,} nodes")
        ends: dict[str, list[str]] = {}
        for name, planned in plan.nodes.items():
            path = f"{prefix}{name}"
            parents = [end for parent in planned.parents for end in ends[parent]]
            inner = self._inner(planned.node, way)
            self.found[path] = Expanded(
                path, planned.node, tuple(parents) or above, len(way) - 1, inner is not None
            )
            ends[name] = [path]
            if inner is not None:
                ends[name] = self.add(
                    inner, prefix=f"{path}/", above=(path,), way=(*way, inner.name)
                )
        return [end for name in plan.leaves for end in ends[name]]

    def _plan(self, graph: Graph) -> GraphPlan:
        if graph.name not in self._plans:
            self._plans[graph.name] = plan_graph(graph, jobs=self._jobs, graphs=self._graphs)
        return self._plans[graph.name]

    def _inner(self, node: Node, way: Sequence[str]) -> Graph | None:
        if node.graph is None:
            return None
        inner = self._graphs.get(node.graph)
        if inner is None:
            raise BadGraph(
                f"node {node.name!r}: no graph is named {node.graph!r:.64}."
                f"{hint(node.graph, self._graphs)}"
            )
        if inner.name in way:
            raise BadGraph(f"a graph contains itself: {' -> '.join((*way, inner.name))}")
        if len(way) >= MAX_DEPTH:
            raise BadGraph(f"graphs within graphs are more than {MAX_DEPTH} deep")
        return inner
