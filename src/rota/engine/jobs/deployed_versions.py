"""Deployed versions: every version of a job that a start leads to, not only the one it names.

The run of a graph starts its nodes, with the versions that the run is pinned to, and the nodes of
the graphs inside of it. Each of these may name a job in `on_failure`, which may run too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from rota.engine.graphs.graph_run import find_spec, shape_of, submitted_at
from rota.engine.graphs.shape import GraphShape
from rota.engine.jobs.definitions import current_specs
from rota.engine.jobs.pins import Pins
from rota.errors import BadInput
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.rules.failures.on_failure import told_by
from rota.rules.graphs import plan_graph
from rota.rules.jobs.stored_signature import kinds_of
from rota.store.base import Tx

NOW = 2**62
"""A moment later than every change: for a start at present."""
UNNUMBERED = 0
"""The version of a definition that is not on record yet."""

Version = tuple[str, int]
"""A job, and one of its versions."""


class DeployedStart(NamedTuple):
    """A run that is about to be submitted."""

    job: str
    version: int
    asked_at: int = NOW
    """When its work was first submitted: a rerun was submitted in the past."""
    rerun_of: str | None = None
    """The run that the submit at `asked_at` was itself a rerun of: an even earlier submit."""


class DeployedPart(NamedTuple):
    """A version that is carried out."""

    spec: JobSpec
    version: int
    above: Version | None
    """The version that starts it; None for the start itself."""
    queue: str | None
    """The queue that the node above names; None: it runs in that of its job."""

    @property
    def at(self) -> Version:
        return self.spec.name, self.version


class _Item(NamedTuple):
    part: DeployedPart
    as_of: int
    is_told: bool


def carried(tx: Tx, starts: Collection[DeployedStart], *, namespace: str) -> list[DeployedPart]:
    """Return the versions that run when these start; unreadable or unknown ones do not run."""
    walk = _Walk(tx, namespace, beside=frozenset())
    items = []
    for start in starts:
        spec = walk.find(start.job, start.version)
        if spec is not None:
            part = DeployedPart(spec, start.version, None, None)
            items.append(_Item(part, _asked_at(tx, start, spec), is_told=False))
    return walk.through(items)


def carried_by(
    tx: Tx, spec: JobSpec, *, namespace: str, beside: Collection[str] = ()
) -> list[DeployedPart]:
    """Return what runs besides a definition in force; `beside` are definitions added with it."""
    walk = _Walk(tx, namespace, beside=frozenset(beside))
    return walk.through([_Item(DeployedPart(spec, UNNUMBERED, None, None), NOW, is_told=False)])[1:]


class _Walk:
    def __init__(self, tx: Tx, namespace: str, *, beside: frozenset[str]) -> None:
        self._tx = tx
        self._namespace = namespace
        self._beside = beside
        self._pins = Pins(tx, (), namespace=namespace)
        self._told: dict[str, tuple[int, JobSpec] | None] = {}

    def through(self, items: list[_Item]) -> list[DeployedPart]:
        """Return all parts, each once, in the order in which they are met."""
        parts: dict[tuple[Version, Version | None, str | None], DeployedPart] = {}
        seen: set[tuple[Version, int, bool]] = set()
        while items:
            item = items.pop()
            part = item.part
            parts[part.at, part.above, part.queue] = part
            at = part.at, item.as_of, item.is_told
            if at not in seen:
                seen.add(at)
                items += self._below(item)
        return list(parts.values())

    def find(self, job: str, version: int) -> JobSpec | None:
        try:
            return find_spec(self._tx, job, version, namespace=self._namespace)
        except BadInput:
            return None

    def _below(self, item: _Item) -> Iterator[_Item]:
        above = item.part.at
        shape = self._shape(item.part)
        if shape is not None:
            for name, version in self._pins.at(shape, above[1], item.as_of).items():
                node = shape.plan.nodes[name].node
                job = node.job or node.graph or ""
                spec = None if job in self._beside else self.find(job, version)
                if spec is not None:
                    part = DeployedPart(spec, version, above, node.queue)
                    yield _Item(part, item.as_of, item.is_told)
        handler = None if item.is_told else told_by(item.part.spec)
        if handler is not None and handler not in self._beside and (now := self._current(handler)):
            yield _Item(DeployedPart(now[1], now[0], above, None), NOW, is_told=True)

    def _shape(self, part: DeployedPart) -> GraphShape | None:
        """Return the shape of a graph; None for other jobs and for graphs that cannot begin."""
        if not isinstance(part.spec.target, GraphTarget):
            return None
        try:
            if part.version == UNNUMBERED:
                return GraphShape(plan_graph(part.spec.target.graph), kinds=kinds_of(part.spec))
            return shape_of(self._tx, *part.at, namespace=self._namespace)
        except BadInput:
            return None

    def _current(self, job: str) -> tuple[int, JobSpec] | None:
        """Return the current version of an `on_failure` job; None if the job was removed."""
        if job not in self._told:
            self._told[job] = current_specs(self._tx, [job], namespace=self._namespace).get(job)
        return self._told[job]


def _asked_at(tx: Tx, start: DeployedStart, spec: JobSpec) -> int:
    """Return when the work was first submitted; looked up only for graphs, where it matters."""
    if start.rerun_of is None or not isinstance(spec.target, GraphTarget):
        return start.asked_at
    return submitted_at(tx, {"created_at": start.asked_at, "rerun_of": start.rerun_of})
