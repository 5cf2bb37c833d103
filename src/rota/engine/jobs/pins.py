"""Pins: the versions of its nodes' jobs to which a run of a graph is pinned.

Mostly nothing has changed since the submit, which one look at the current versions shows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import NamedTuple

from rota.engine.graphs.graph_run import GraphRun, submitted_at
from rota.engine.graphs.shape import GraphShape
from rota.errors import BadGraph
from rota.model.runs.run import Lease
from rota.rules.jobs.pins import Reign, bound_of, version_before
from rota.store.base import Row, Tx


class _Current(NamedTuple):
    version: int
    since: int | None
    """None when code that keeps no record of it made it the current one."""


class _Now(NamedTuple):
    """The versions that a graph and its jobs have at present."""

    graph: int | None
    """None where the graph is not on record any more."""
    versions: dict[str, int]
    """The version of each node; a node whose job is not on record is left out."""
    since: int | None
    """When the last of them became the current one; None when that is not known of all."""


class Pins:
    """The pins of the graph runs that begin in one transaction."""

    def __init__(self, tx: Tx, leases: Collection[Lease], *, namespace: str) -> None:
        self._tx = tx
        self._namespace = namespace
        self._known: dict[str, _Current] = {}
        self._reigns: dict[str, list[Reign]] = {}
        self._asked = [lease.run_id for lease in leases if lease.parent_id is None]
        """Runs whose submit is yet to be read, together with the first versions."""
        self._submits: dict[str, Row] = {}
        self._looked: dict[tuple[str, int], _Now] = {}

    def of(
        self, lease: Lease, shape: GraphShape, outer: GraphRun | None
    ) -> tuple[dict[str, int], int]:
        """Return the versions by node, and when the run's work was first submitted.

        For a graph inside of another that is the submit of the outermost graph. Raises BadGraph if
        a job is not on record.
        """
        self._check_known(shape, lease.version)
        if outer is not None:
            as_of = outer.as_of
        else:
            row = self._submits.get(lease.run_id)
            as_of = lease.claimed_at if row is None else submitted_at(self._tx, row)
        return self.at(shape, lease.version, as_of), as_of

    def at(self, shape: GraphShape, version: int, as_of: int) -> dict[str, int]:
        """Return the versions by node for a run of this graph version submitted at `as_of`.

        A node whose job is not on record is left out.
        """
        now = self._now(shape, version)
        if now.graph in (None, version) and now.since is not None and now.since <= as_of:
            return now.versions
        return self._then(shape, version, as_of)

    def _check_known(self, shape: GraphShape, version: int) -> None:
        versions = self._now(shape, version).versions
        for name, job in _jobs_of(shape).items():
            if name not in versions:
                kind = "job" if shape.plan.nodes[name].node.job else "graph"
                raise BadGraph(f"node {name!r}: {kind} {job!r} is not on record")

    def _now(self, shape: GraphShape, version: int) -> _Now:
        """Return the current versions, worked out once for all runs of a version."""
        at = shape.graph.name, version
        current = self._looked.get(at)
        if current is None:
            current = self._looked[at] = self._look(shape)
        return current

    def _look(self, shape: GraphShape) -> _Now:
        graph, jobs = shape.graph.name, _jobs_of(shape)
        self._load({graph, *jobs.values()})
        used = [self._known[each] for each in {graph, *jobs.values()} & self._known.keys()]
        moments = [each.since for each in used if each.since is not None]
        own = self._known.get(graph)
        return _Now(
            graph=None if own is None else own.version,
            versions={
                name: self._known[job].version for name, job in jobs.items() if job in self._known
            },
            since=max(moments) if len(moments) == len(used) else None,
        )

    def _then(self, shape: GraphShape, version: int, as_of: int) -> dict[str, int]:
        graph, jobs = shape.graph.name, _jobs_of(shape)
        self._load_reigns({graph, *jobs.values()} & self._known.keys())
        bound = bound_of(self._reigns.get(graph, ()), version, as_of=as_of)
        return {
            name: version_before(self._reigns[job], bound)
            for name, job in jobs.items()
            if job in self._reigns
        }

    def _load(self, names: Collection[str]) -> None:
        missing = sorted(set(names).difference(self._known))
        if missing:
            at = {"namespace": self._namespace, "names": json.dumps(missing)}
            for row in self._tx.all("node_versions", ids=json.dumps(self._asked), **at):
                if row["name"] is None:
                    self._submits[str(row["id"])] = {**row, "created_at": row["since"]}
                else:
                    self._known[row["name"]] = _Current(row["version"], row["since"])
            self._asked = []

    def _load_reigns(self, names: Iterable[str]) -> None:
        missing = sorted(set(names).difference(self._reigns))
        if not missing:
            return
        by_name: dict[str, list[Reign]] = {name: [] for name in missing}
        at = {"namespace": self._namespace, "names": json.dumps(missing)}
        for row in self._tx.all("version_changes", **at):
            by_name[row["name"]].append(Reign(row["version"], row["since"]))
        for name, reigns in by_name.items():
            current = self._known[name]
            if current.since is None:  # made by older code, some time after the last one we know
                reigns.append(Reign(current.version, reigns[-1].since + 1 if reigns else 0))
        self._reigns |= by_name


def _jobs_of(shape: GraphShape) -> dict[str, str]:
    """Return the job or graph of each node."""
    return {name: each.node.job or each.node.graph or "" for name, each in shape.plan.nodes.items()}
