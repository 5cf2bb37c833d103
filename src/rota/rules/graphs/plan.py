"""Build the plan of a graph: everything checked, every edge known, parents before children."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from rota.errors import BadGraph, BadInput
from rota.model.graphs.graph import ASIDE, Graph, Join, Node
from rota.rules.graphs import order, scope
from rota.rules.graphs.arguments import check_arguments
from rota.rules.graphs.fields import check_graph_fields, check_node_fields
from rota.rules.graphs.mentioned import nodes_in, parents_mentioned, returned_nodes
from rota.rules.graphs.references import mentions
from rota.rules.graphs.types import JobFacts
from rota.rules.text.checks import hint

MAX_NODES = 100_000
MAX_EDGES = 1_000_000

Jobs = Mapping[str, JobFacts]
Graphs = Mapping[str, Graph]


class Planned(msgspec.Struct, frozen=True, gc=False):
    """A node with its place in the plan."""

    node: Node
    parents: tuple[str, ...]
    """The nodes whose endings its join counts; a teardown also waits for all nodes in its scope."""
    setups: tuple[str, ...]
    """The setups of a teardown; for another node, those it relies on besides its parents."""
    level: int
    """The length of the longest path above the node; 0 without parents."""
    is_leaf: bool
    """Whether the outcome of the run depends on it, because no node after it counts."""
    is_returned: bool = False
    """Whether the result of the graph includes its result."""

    @property
    def counts(self) -> bool:
        """Whether its failure fails the run."""
        return self.is_leaf or self.is_returned

    @property
    def join(self) -> Join:
        return "all_done_setup_success" if self.node.kind == "teardown" else self.node.join


class GraphPlan:
    """A checked graph; its nodes in the order in which they can run, ties as defined."""

    def __init__(self, graph: Graph, nodes: dict[str, Planned]) -> None:
        self.graph = graph
        self.nodes = nodes

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """Return, for each parent, the nodes that count its ending."""
        return order.children_of({name: each.parents for name, each in self.nodes.items()})

    @cached_property
    def dependents(self) -> dict[str, list[str]]:
        """Return, for each setup, the nodes that count its ending without being its children."""
        by_setup: dict[str, list[str]] = {}
        for name, each in self.nodes.items():
            if each.node.kind != "teardown":
                for setup in each.setups:
                    by_setup.setdefault(setup, []).append(name)
        return by_setup

    @property
    def roots(self) -> list[str]:
        return [name for name, each in self.nodes.items() if not each.parents]

    @property
    def leaves(self) -> list[str]:
        """Return the leaves: nodes that count, with none below them that counts."""
        return [name for name, each in self.nodes.items() if each.is_leaf]

    @property
    def judged(self) -> list[str]:
        """Return the nodes that decide the outcome of a run: its leaves and its returned nodes."""
        return [name for name, each in self.nodes.items() if each.counts]


def plan_graph(
    graph: Graph, *, jobs: Jobs | None = None, graphs: Graphs | None = None
) -> GraphPlan:
    """Check a graph and put it in order; BadGraph names the node and says what to do.

    Names, arguments and annotations are checked against `jobs` and `graphs`. Without these two,
    nothing about jobs and graphs is refused.
    """
    try:
        return _plan(graph, jobs, graphs)
    except BadInput as error:
        path = error.path if isinstance(error, BadGraph) else ()
        raise BadGraph(f"graph {graph.name!r:.64}: {error}", path=path) from error


def _plan(graph: Graph, jobs: Jobs | None, graphs: Graphs | None) -> GraphPlan:
    check_graph_fields(graph)
    nodes = _by_name(graph)
    for node in graph.nodes:
        check_node_fields(graph, node)
    parents = {node.name: parents_mentioned(graph, node, nodes) for node in graph.nodes}
    returned = _returned_names(graph, nodes)
    if sum(map(len, parents.values())) > MAX_EDGES:
        raise BadGraph(f"there are more than {MAX_EDGES:,} edges")
    children = order.children_of(parents)
    ordered = order.order(parents, children)
    _check_kinds(nodes, children)
    check_arguments(graph, nodes, jobs, graphs)
    between, relied = scope.scopes(nodes, parents, children)
    for name, further in between.items():
        parents[name] = (*parents[name], *further)
    if between:
        ordered = order.order(parents, order.children_of(parents))
    level = order.levels(ordered, parents)
    return GraphPlan(
        graph,
        {
            name: Planned(
                nodes[name],
                tuple(parents[name]),
                nodes[name].setups or tuple(relied.get(name, ())),
                level[name],
                _is_leaf(nodes[name], (nodes[child] for child in children[name])),
                name in returned,
            )
            for name in ordered
        },
    )


def _returned_names(graph: Graph, nodes: Mapping[str, Node]) -> set[str]:
    """Return the nodes whose results make the graph's result; BadGraph for an unknown node."""
    for mention in mentions(graph.result, "result"):
        nodes_in(graph, mention, nodes, has_item=False)
    returned = set(returned_nodes(graph.result))
    for name in sorted(returned):
        if nodes[name].kind == "notify":
            raise BadGraph(
                f"result: {name!r} is a notify, which has no part in how the graph ends; return "
                "another node"
            )
    return returned


def _by_name(graph: Graph) -> dict[str, Node]:
    if not graph.nodes:
        raise BadGraph("it has no nodes")
    if len(graph.nodes) > MAX_NODES:
        raise BadGraph(f"{len(graph.nodes):,} nodes are more than {MAX_NODES:,}")
    nodes: dict[str, Node] = {}
    for node in graph.nodes:
        if node.name in nodes:
            raise BadGraph(f"node {node.name!r:.64} is defined twice; give one another name")
        nodes[node.name] = node
    return nodes


def _check_kinds(nodes: Mapping[str, Node], children: Mapping[str, list[str]]) -> None:
    for name, node in nodes.items():
        if node.kind in ("branch", "short_circuit") and not children[name]:
            raise BadGraph(
                f"node {name!r}: a {node.kind} decides what comes after it, but nothing does"
            )
        if node.kind == "notify":
            _check_below_notify(name, children[name], nodes)
        for setup in node.setups:
            if node.kind != "teardown":
                raise BadGraph(f"node {name!r}: setups are for a teardown; it is {node.kind}")
            if nodes[setup].kind != "setup":
                raise BadGraph(f"node {name!r}: setups: {setup!r} is not of the kind setup")
        if node.kind == "teardown" and not node.setups:
            setups = [each for each, other in nodes.items() if other.kind == "setup"]
            raise BadGraph(
                f"node {name!r}: a teardown names its setups; there are: "
                f"{', '.join(setups[:10]) or 'none'}.{hint(name, setups)}"
            )


def _check_below_notify(name: str, children: list[str], nodes: Mapping[str, Node]) -> None:
    for child in children:
        if nodes[child].kind not in ASIDE:
            raise BadGraph(
                f"node {child!r}: it comes after {name!r}, a notify, which reports on others and "
                "decides nothing; let it come after those"
            )


def _is_leaf(node: Node, children: Iterable[Node]) -> bool:
    """Whether a node is a leaf: a teardown only if it says so, a notify never."""
    if node.kind in ASIDE:
        return node.fails_run
    return all(child.kind in ASIDE for child in children)
