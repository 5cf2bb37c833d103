"""Options that have no meaning for a node that is itself a graph."""

from __future__ import annotations

from rota.errors import BadGraph
from rota.model.graphs.graph import Graph


def check_inner_options(graph: Graph) -> None:
    """Raise BadGraph for a node that is a graph and says where a function runs.

    This is checked when a graph is defined. Graphs that were stored before keep working.
    """
    for node in graph.nodes:
        if node.graph is not None and node.isolation is not None:
            raise BadGraph(
                f"graph {graph.name!r:.64}: node {node.name!r:.64}: isolation: it is the graph "
                f"{node.graph!r:.64}, which runs no function; set it on the nodes or jobs inside",
                path=("nodes", node.name),
            )
