"""Check the arguments of nodes against their jobs and graphs: names, and types where known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, TypeVar

import msgspec

from rota.errors import BadGraph
from rota.model.graphs.graph import Graph, Map, Node, Parameter
from rota.rules.graphs.references import NOTHING, Path, item_steps, mentions, parse_path, resolve
from rota.rules.graphs.types import JobFacts, element_of, fits
from rota.rules.jobs.signature.plain import misfit, plain_kind
from rota.rules.text.checks import hint

T = TypeVar("T")
Jobs = Mapping[str, JobFacts]
Graphs = Mapping[str, Graph]


def check_arguments(
    graph: Graph, nodes: Mapping[str, Node], jobs: Jobs | None, graphs: Graphs | None
) -> None:
    """Raise BadGraph for unknown jobs, unknown or missing arguments, and unfit results."""
    checker = _Checker(graph, nodes, jobs, graphs)
    for node in nodes.values():
        try:
            checker.check(node)
        except BadGraph as error:
            raise BadGraph(str(error), path=("nodes", node.name)) from error


def facts_of_graph(graph: Graph) -> JobFacts:
    return JobFacts(
        {name: each.type for name, each in graph.parameters.items()},
        required=frozenset(
            name for name, each in graph.parameters.items() if each.default is msgspec.UNSET
        ),
        kinds={name: _kind_of(each) for name, each in graph.parameters.items()},
    )


def _kind_of(parameter: Parameter) -> Any:
    """Return the type of a graph's parameter; a default of None allows None."""
    kind = plain_kind(parameter.type)
    is_open = parameter.default is None and kind is not Any
    return Optional[kind] if is_open else kind  # noqa: UP045  # found at run time


class _Checker:
    """Checks the nodes of one graph against the known jobs and graphs."""

    def __init__(
        self,
        graph: Graph,
        nodes: Mapping[str, Node],
        jobs: Jobs | None,
        graphs: Graphs | None,
    ) -> None:
        self._graph = graph
        self._nodes = nodes
        self._jobs = jobs
        self._graphs = graphs

    def check(self, node: Node) -> None:
        facts = self._facts(node)
        if facts is not None:
            _check_names(node, facts)
        item = self._check_map(node)
        if facts is None:
            return
        for name, value in node.args.items():
            parameter_type = facts.parameters.get(name, "Any")
            if parameter_type == "Any":
                continue
            if (value_type := self._kind(value, item)) is not None:
                self._check_fit(node, name, value_type, parameter_type)
            elif not any(mentions(value)):
                _check_literal(node, name, resolve(value, NOTHING), facts)
        if node.map is not None and node.map.into is not None and item is not None:
            parameter_type = facts.parameters.get(node.map.into, "Any")
            self._check_fit(node, node.map.into, item, parameter_type)
        elif node.map is not None:
            _check_items(node, node.map, facts)

    def _facts(self, node: Node) -> JobFacts | None:
        if node.job is not None:
            return _find("job", node, node.job, self._jobs)
        graph = _find("graph", node, node.graph or "", self._graphs)
        return None if graph is None else facts_of_graph(graph)

    def _check_map(self, node: Node) -> str | None:
        """Return the annotation of a mapped item, or None if unknown."""
        if node.map is None:
            return None
        if node.map.into is not None and node.map.into in node.args:
            raise BadGraph(f"node {node.name!r}: map: {node.map.into!r} is also among the args")
        kind = self._kind(node.map.over, None)
        if kind is None:
            return None
        item = element_of(kind)
        if item is None:
            raise BadGraph(
                f"node {node.name!r}: map: {self._value_text(node.map.over)} is {kind}, not a list"
            )
        return item if node.map.batch == 1 else f"list[{item}]"

    def _kind(self, value: Any, item: str | None) -> str | None:
        """Return the annotation of a reference; None for other values and if it is unknown."""
        form = next(iter(value), None) if isinstance(value, dict) and len(value) == 1 else None
        if form == "$ref":
            return self._of_ref(parse_path(value[form]))
        if form == "$param":
            path = parse_path(value[form])
            return _part(self._graph.parameters[path.name].type, path.steps)
        if form == "$item" and item is not None:
            return _part(item, item_steps(value[form]))
        return None

    def _of_ref(self, path: Path) -> str | None:
        node = self._nodes[path.name]
        facts = self._jobs.get(node.job) if self._jobs is not None and node.job else None
        if facts is None:
            kind = None if node.map is None else "list[Any]"
        else:
            kind = facts.result if node.map is None else f"list[{facts.result}]"
        return None if kind is None else _part(kind, path.steps)

    def _check_fit(self, node: Node, name: str, raw: str, parameter_type: str) -> None:
        if not fits(raw, parameter_type):
            value = node.args.get(name, node.map.over if node.map else None)
            what = self._value_text(value)
            each = "an item of " if name not in node.args else ""
            raise BadGraph(
                f"node {node.name!r}: {name}: {each}{what} is {raw}, but {name} is {parameter_type}"
            )

    def _value_text(self, value: Any) -> str:
        form = next(iter(value), "") if isinstance(value, dict) else ""
        if form == "$ref":
            return f"the result of {value[form]!r}"
        return f"parameter {value[form]!r}" if form == "$param" else "the item"


def _check_literal(node: Node, name: str, value: Any, facts: JobFacts) -> None:
    """Raise BadGraph for a literal argument of the wrong type.

    If only the annotation is known, null is accepted: the job's default may be None.
    """
    parameter_type = facts.parameters[name]
    is_known = name in facts.kinds
    kind = facts.kinds[name] if is_known else plain_kind(parameter_type)
    wrong = misfit(name, value, kind) if is_known or value is not None else None
    if wrong is not None:
        raise BadGraph(f"node {node.name!r}: {wrong}; {name} is {parameter_type}")


def _check_items(node: Node, mapped: Map, facts: JobFacts) -> None:
    """Raise BadGraph if an item that is written in the graph itself has the wrong type."""
    into, items = mapped.into, mapped.over
    if (
        into is None
        or into not in facts.parameters
        or mapped.batch != 1
        or not isinstance(items, list)
    ):
        return
    for value in items:
        if not any(mentions(value)):
            _check_literal(node, into, resolve(value, NOTHING), facts)


def _find(what: str, node: Node, name: str, definitions: Mapping[str, T] | None) -> T | None:
    if definitions is None:
        return None
    if name not in definitions:
        raise BadGraph(
            f"node {node.name!r}: no {what} is named {name!r:.64}.{hint(name, definitions)}"
        )
    return definitions[name]


def _part(kind: str, steps: tuple[str | int, ...]) -> str | None:
    """Return the annotation of a list item; None for a part of an object, which cannot be known."""
    for step in steps:
        if not isinstance(step, int) or kind == "Any":
            return None
        kind = element_of(kind) or "Any"
    return None if kind == "Any" else kind


def _check_names(node: Node, facts: JobFacts) -> None:
    argument_names = dict.fromkeys(node.args)
    if node.map is not None and node.map.into is not None:
        argument_names[node.map.into] = None
    if facts.takes_more and not facts.required:
        return
    what = f"job {node.job!r}" if node.job is not None else f"graph {node.graph!r}"
    if not facts.takes_more:
        for name in argument_names:
            if name not in facts.parameters:
                raise BadGraph(
                    f"node {node.name!r}: {what} takes no {name!r:.64}."
                    f"{hint(name, facts.parameters)}"
                )
    missing = [name for name in facts.parameters if name in (facts.required or ())]
    for name in missing:
        if name not in argument_names:
            raise BadGraph(f"node {node.name!r}: {what} needs {name!r}")
