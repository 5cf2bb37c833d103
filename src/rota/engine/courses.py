"""Courses: what the engine must know of a run of a graph besides where its nodes stand.

The plan, the jobs of its nodes and what the run was given never change while it runs, so each
process reads them once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

import msgspec

from rota.engine.keep import given
from rota.engine.memos import is_fresh
from rota.engine.stored import read
from rota.errors import BadGraph
from rota.model.graph import Node
from rota.model.spec import GraphTarget, JobSpec, PolicyChange
from rota.rules.duration import parse_duration
from rota.rules.expression_text import mentioned_in, tokens_of
from rota.rules.expressions import Values
from rota.rules.graphs import Plan, plan_graph, remaining
from rota.rules.graphs.order import urgencies
from rota.rules.maps import Tolerance, parse_tolerance
from rota.rules.node_values import arguments_of, bind_parameters
from rota.rules.references import mentions, parse_path
from rota.store.base import Row, Tx

REMEMBERED = 20_000
"""Runs of graphs whose course a process keeps."""
HIGHEST = 9
"""The priority that the longest way gives; just below `high`."""
DECIDING = ("branch", "short_circuit")
"""Kinds of nodes whose result says what comes after them."""
WIDE = 4_096
"""Parameters of more characters than this are put into arguments when a worker takes a node."""

_spec = msgspec.json.Decoder(JobSpec)
_given = msgspec.json.Decoder(dict[str, Any])


class Shape:
    """A plan, with what its nodes need worked out once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.graph = plan.graph
        self.children = plan.children
        self.dependents = plan.dependents
        nodes = {name: each.node for name, each in plan.nodes.items()}
        self.asks = {name: _asked_by(node) for name, node in nodes.items()}
        """The nodes that its condition and its list mention: needed before it can begin."""
        self.needs = {name: _needed_by(node) for name, node in nodes.items()}
        """The nodes that its arguments mention: needed when a worker takes it."""
        self.late = frozenset(
            name for name, node in nodes.items() if self.needs[name] or _has_item_key(node)
        )
        """Nodes whose arguments hold results of others, so that they are made at the claim."""
        self.given = frozenset(name for name, node in nodes.items() if _takes_params(node.args))
        """Nodes whose arguments hold parameters of the run."""
        self.result_needs = _named(self.graph.result)
        self.wanted = frozenset().union(
            *self.asks.values(), *self.needs.values(), self.result_needs
        )
        """Nodes whose results somebody needs."""
        self.whole_result = _whole(self.graph.result, nodes)
        """The node whose result is that of the run, as it is."""
        inner = (self.needs[name] for name, node in nodes.items() if node.graph is not None)
        made = frozenset() if self.whole_result else self.result_needs
        deciding = {name for name, node in nodes.items() if node.kind in DECIDING}
        self.asked = frozenset().union(*self.asks.values(), *inner, made, deciding)
        """Nodes whose results are needed inside of transactions, so that they must be near."""
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
        """The arguments of nodes that mention nothing."""

    @cached_property
    def urgency(self) -> dict[str, int]:
        """Priorities by the way that is left, each node counting the same."""
        ordered = list(self.plan.nodes)
        left = remaining(ordered, self.children, dict.fromkeys(ordered, 1.0))
        return urgencies(left, highest=HIGHEST)

    @cached_property
    def tolerances(self) -> dict[str, Tolerance]:
        return {
            name: parse_tolerance(each.node.map.tolerate)
            for name, each in self.plan.nodes.items()
            if each.node.map is not None
        }


class Course:
    """One run of a graph."""

    def __init__(  # what is known of a run when it begins
        self,
        graph_id: str,
        shape: Shape,
        params: Mapping[str, Any],
        *,
        is_asked: bool,
        wide: bool,
        origin: str | None,
    ) -> None:
        self.graph_id = graph_id
        self.shape = shape
        self.params = params
        self.origin = origin
        """Which instant of which schedule it is for, as JSON text; its nodes are for the same."""
        self.is_fresh = False
        """Whether its nodes are carried out even if their results are known."""
        self.as_of = 0
        """When it was submitted; of a graph inside of another when the outermost was."""
        self.asked = shape.asked | shape.result_needs if is_asked else shape.asked
        """As of the shape; all that makes its result, if a graph around it asks for that."""
        self.late = shape.late | shape.given if wide else shape.late
        """As of the shape; large parameters are not copied into the runs of nodes either."""

    def set(self, *, is_fresh: bool, as_of: int) -> None:
        """What else is known of the run."""
        self.is_fresh, self.as_of = is_fresh, as_of


_NOTHING = Values({}, {}, {})


def policy_for(node: Node, spec: JobSpec, *, fresh: bool) -> str | None:
    """What a node changes of its job's policies, as JSON text."""
    if node.retries is None and node.timeout is None and node.isolation is None and not fresh:
        return None
    retry = spec.retry
    change = PolicyChange(
        retry=None if node.retries is None else msgspec.structs.replace(retry, limit=node.retries),
        timeout_ms=None if node.timeout is None else parse_duration(node.timeout),
        isolation=node.isolation,
        fresh=fresh,
    )
    return msgspec.json.encode(change).decode()


def priority_for(name: str, node: Node, spec: JobSpec, shape: Shape) -> int:
    if node.priority == "critical_path":
        return shape.urgency[name]
    return spec.priority if node.priority is None else node.priority


def shape_of(tx: Tx, job: str, version: int, *, namespace: str) -> Shape:
    """The plan of a graph's version; BadGraph if the job is no graph."""
    at = ("shape", namespace, job, version)
    found: Shape | None = tx.memo.get(at)
    if found is None:
        spec = spec_at(tx, job, version, namespace=namespace)
        if not isinstance(spec.target, GraphTarget):
            raise BadGraph(f"job {job!r} in version {version} is no graph")
        found = tx.memo[at] = Shape(plan_graph(spec.target.graph))
    return found


def spec_at(tx: Tx, job: str, version: int, *, namespace: str) -> JobSpec:
    """A definition, remembered."""
    found = find_spec(tx, job, version, namespace=namespace)
    if found is None:
        raise BadGraph(f"job {job!r} has no version {version}")
    return found


def find_spec(tx: Tx, job: str, version: int, *, namespace: str) -> JobSpec | None:
    """The same, or None."""
    at = ("spec", namespace, job, version)
    found: JobSpec | None = tx.memo.get(at)
    if found is None:
        row = tx.one("load_spec", namespace=namespace, name=job, version=version)
        if row is not None:
            what = f"the definition of job {job!r} in version {version}"
            found = tx.memo[at] = read(_spec, row["spec"], what)
    return found


def courses(tx: Tx, graph_ids: Collection[str], *, namespace: str) -> dict[str, Course]:
    """The courses of these runs; one that is gone, or is not ours, is left out."""
    known = _remembered(tx)
    missing = [graph_id for graph_id in graph_ids if graph_id not in known]
    if missing:
        rows = [
            row
            for row in tx.all("find_graphs", ids=json.dumps(missing))
            if row["namespace"] == namespace
        ]
        outer = {str(row["parent_id"]) for row in rows if row["parent_id"] is not None}
        around = courses(tx, outer, namespace=namespace) if outer else {}
        for row in rows:
            shape = shape_of(tx, row["job"], row["version"], namespace=namespace)
            parent = around.get(str(row["parent_id"]))
            within = parent, row["node"]
            course = course_of(tx, str(row["id"]), shape, row["args"], within, row["origin"])
            as_of = submitted_at(tx, row) if parent is None else parent.as_of
            course.set(is_fresh=is_fresh(row["policy"]), as_of=as_of)
            remember(tx, course)
    return {graph_id: known[graph_id] for graph_id in graph_ids if graph_id in known}


def submitted_at(tx: Tx, row: Row) -> int:
    """When what this run does was first asked for: a rerun does again what the first one did."""
    first, rerun_of = int(row["created_at"]), row["rerun_of"]
    while rerun_of is not None:
        found = tx.one("find_submit", id=str(rerun_of))
        if found is None:  # its history is pruned
            break
        first, rerun_of = int(found["created_at"]), found["rerun_of"]
    return first


def course_of(  # what one row of a run has
    tx: Tx,
    graph_id: str,
    shape: Shape,
    args: str,
    within: tuple[Course | None, str | None],
    origin: str | None,
) -> Course:
    """BadArguments for what the graph does not take; `within`: the graph around it, its node."""
    outer, node = within
    text = given(tx, args, f"what run {graph_id} was given")
    params = bind_parameters(shape.graph, read(_given, text, "what the run was given"))
    is_asked = outer is not None and node in outer.asked
    wide = len(text) > WIDE
    return Course(graph_id, shape, params, is_asked=is_asked, wide=wide, origin=origin)


def remember(tx: Tx, course: Course) -> None:
    known = _remembered(tx)
    while len(known) >= REMEMBERED:
        known.pop(next(iter(known)), None)
    known[course.graph_id] = course


def remembered(tx: Tx, graph_ids: Collection[str]) -> list[Course]:
    """Of these runs, those that are graphs and known; nothing is read for the others."""
    known = _remembered(tx)
    return [known[graph_id] for graph_id in graph_ids if graph_id in known]


def _remembered(tx: Tx) -> dict[str, Course]:
    found: dict[str, Course] = tx.memo.setdefault("courses", {})
    return found


def _needed_by(node: Node) -> frozenset[str]:
    key = None if node.cache is None else node.cache.key
    return _named(node.args) | _named(key)


def _has_item_key(node: Node) -> bool:
    """Whether the key of its result may mention the item, which the claim must then know."""
    return node.map is not None and node.cache is not None and node.cache.key is not None


def _asked_by(node: Node) -> frozenset[str]:
    over = frozenset() if node.map is None else _named(node.map.over)
    return over if node.when is None else over | mentioned_in(tokens_of(node.when)).nodes


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


def _named(value: Any) -> frozenset[str]:
    found: set[str] = set()
    for mention in mentions(value):
        if mention.form == "$ref":
            found.add(parse_path(mention.text).name)
        elif mention.form == "$expr":
            found |= mentioned_in(tokens_of(mention.text)).nodes
    return frozenset(found)
