"""Builders for runs of graphs: defined, begun, and their nodes ended one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rota.engine.graphs.expand import expand
from rota.engine.graphs.nodes.arguments import resolve
from rota.engine.jobs.definitions import define
from rota.engine.runs.finish import finish
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.runs.run import FinishVerb, Lease, NewRun, Verdict
from rota.store.base import Row, Store, Tx
from tests.contract.builders import HOME, claim_some

JOB = "work"


def graph(nodes: Iterable[Node], **fields: Any) -> Graph:
    return Graph(name=fields.pop("name", "flow"), nodes=tuple(nodes), **fields)


def node(name: str, *after: str, **fields: Any) -> Node:
    return Node(name=name, after=after, job=JOB, **fields)


class Flow:
    """A graph on record, and a worker that carries out its runs as the test says."""

    def __init__(self, store: Store, worker: str, *graphs: Graph) -> None:
        self.store = store
        self.worker = worker
        self.names = tuple(each.name for each in graphs)
        job = JobSpec(name=JOB, target=PythonTarget(ref="m:f"))
        store.write(lambda tx: define(tx, job, namespace=HOME))
        self.version = 1
        for each in graphs:
            spec = JobSpec(name=each.name, target=GraphTarget(graph=each))
            self.version = store.write(lambda tx, spec=spec: define(tx, spec, namespace=HOME))  # type: ignore[misc]
        self.leases: dict[tuple[str, str, int | None], Lease] = {}

    def submit(self, **params: Any) -> str:
        run = NewRun(id=new_id(), job=self.names[-1], version=self.version, args=json.dumps(params))
        self.store.write(lambda tx: submit(tx, [run], namespace=HOME))
        return run.id

    def start(self, **params: Any) -> str:
        """A run that has begun: its first nodes are queued."""
        run_id = self.submit(**params)
        self.begin()
        return run_id

    def begin(self) -> None:
        """Claim runs of graphs and let them begin."""
        leases = claim_some(self.store, self.worker, limit=1000, jobs=self.names)
        if leases:
            self.store.write(lambda tx: self._expand(tx, leases))

    def _expand(self, tx: Tx, leases: Sequence[Lease]) -> None:
        verdicts = expand(tx, leases, namespace=HOME)
        if verdicts:
            finish(tx, verdicts, namespace=HOME)

    def claim(self) -> list[Lease]:
        """All runs of nodes that can run, with their arguments."""
        self.begin()
        leases = claim_some(self.store, self.worker, limit=5000, jobs=(JOB,))

        def resolved(tx: Tx) -> list[Lease]:
            ready, refused = resolve(tx, leases, namespace=HOME)
            if refused:
                finish(tx, refused, namespace=HOME)
            return ready

        ready = self.store.write(resolved) if leases else []
        for lease in ready:
            self.leases[lease.parent_id or "", lease.node or "", lease.item] = lease
        return ready

    def running(self, run_id: str) -> set[str]:
        """Names of the nodes that were claimed and have not ended."""
        self.claim()
        return {node for graph_id, node, _ in self.leases if graph_id == run_id}

    def end(
        self, run_id: str, name: str, verb: FinishVerb = "succeed", result: Any = None,
        item: int | None = None,
    ) -> list[str]:  # fmt: skip
        return self.end_all(run_id, {(name, item): (verb, result)})

    def end_all(
        self, run_id: str, how: Mapping[tuple[str, int | None], tuple[FinishVerb, Any]]
    ) -> list[str]:
        verdicts = [self.verdict(run_id, name, item, *each) for (name, item), each in how.items()]
        return self.store.write(lambda tx: finish(tx, verdicts, namespace=HOME))

    def verdict(
        self, run_id: str, name: str, item: int | None = None, verb: FinishVerb = "succeed",
        result: Any = None,
    ) -> Verdict:  # fmt: skip
        lease = self.leases.pop((run_id, name, item))
        return verdict_of(lease, verb, result)

    def states(self, run_id: str) -> dict[str, str]:
        return {row["name"]: row["state"] for row in self.rows(run_id)}

    def reasons(self, run_id: str) -> dict[str, str | None]:
        return {row["name"]: row["reason"] for row in self.rows(run_id)}

    def rows(self, run_id: str) -> list[Row]:
        return self.store.read(lambda tx: tx.all("list_nodes", graph_id=run_id))


def verdict_of(lease: Lease, verb: FinishVerb = "succeed", result: Any = None) -> Verdict:
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb=verb,
        kind="error" if verb == "fail" else None,
        error='{"type":"ValueError","message":"broken"}' if verb == "fail" else None,
        result=json.dumps(result) if verb == "succeed" else None,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )


def forget_courses(store: Store) -> None:
    """As in a process that has not seen these runs."""
    store.read(lambda tx: tx.memo.clear())
