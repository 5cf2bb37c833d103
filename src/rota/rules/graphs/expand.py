"""Sub-graphs laid open: one flat set of nodes, each with a path such as `etl/load`.

For pictures, totals and estimates. A run does not need it: a node that is a graph is a run of
its own, whose nodes are its children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rota.errors import BadGraph
from rota.model.graph import Graph, Node
from rota.rules.graphs.plan import MAX_NODES, Jobs, Plan, plan_graph
from rota.rules.text.checks import hint

MAX_DEPTH = 16


class Expanded(NamedTuple):
    """A node of a graph or of a graph within it."""

    path: str
    node: Node
    parents: tuple[str, ...]
    """Paths; what follows a sub-graph follows its leaves."""
    depth: int
    is_graph: bool
    """Whether the nodes below its path are its own."""


def expand(
    graph: Graph, graphs: Mapping[str, Graph], *, jobs: Jobs | None = None
) -> dict[str, Expanded]:
    """All nodes by path, parents first; BadGraph if a graph contains itself or is not known.

    A sub-graph's node stays, before its own nodes: those without parents follow it.
    """
    expander = _Expander(graphs, jobs)
    expander.add(graph, prefix="", above=(), way=(graph.name,))
    return expander.found


class _Expander:
    def __init__(self, graphs: Mapping[str, Graph], jobs: Jobs | None) -> None:
        self.found: dict[str, Expanded] = {}
        self._graphs = graphs
        self._jobs = jobs
        self._plans: dict[str, Plan] = {}

    def add(
        self, graph: Graph, *, prefix: str, above: tuple[str, ...], way: tuple[str, ...]
    ) -> list[str]:
        """Add the nodes of a graph under a prefix; gives the paths of its leaves."""
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

    def _plan(self, graph: Graph) -> Plan:
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
