"""The claims of a worker, over its queues and jobs; a claim also begins graphs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from rota.clock import elapsed_s
from rota.engine.admission.admit import admit, hold_back, may_hold_back
from rota.engine.admission.hold import Wanted
from rota.engine.graphs.expand import expand
from rota.engine.graphs.graph_run import find_spec
from rota.engine.graphs.nodes.arguments import resolve
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.engine.wakeup_keys import queue_key
from rota.errors import BadInput
from rota.model.runs.run import Lease, Verdict
from rota.rules.jobs.claim_facts import PLAIN, ClaimFacts, claim_facts
from rota.runtime.dispatch.claim_gate import ClosedSpans
from rota.runtime.options import WorkerScope
from rota.store.base import Tx

ROUNDS = 16
"""How often to claim again in one transaction because graphs have begun in it."""


class Claims:
    """Takes leases for one worker; not for two threads at once."""

    def __init__(self, scope: WorkerScope) -> None:
        self.worker_id = ""
        self.is_cut_short = False
        """Whether the last claim let runs start, graphs or nodes, and did not claim all of them."""
        self._namespace = scope.namespace
        self._closings = ClosedSpans()
        self.serve(scope)

    def serve(self, scope: WorkerScope) -> None:
        self._queues = list(scope.queues)
        self._keys = {queue_key(self._namespace, queue) for queue in scope.queues}
        self._names = scope.jobs
        self._jobs = json.dumps(scope.jobs)
        self._needs_transaction = any(
            facts.is_graph or may_hold_back(facts) for facts in scope.facts.values()
        )
        self._own_facts = scope.facts
        self._facts = {at: scope.facts.get(at[0], PLAIN) for at in scope.versions.items()}
        self._max_runs = {
            name: facts.max_runs
            for name, facts in scope.facts.items()
            if facts.max_runs is not None
        }
        self._note_holds()

    def obey(self, closings: ClosedSpans) -> None:
        self._closings = closings
        self._note_holds()

    def _note_holds(self) -> None:
        """Note whether a claim may meet a hold that its statement does not check."""
        self._has_gate = bool(self._closings)
        self._has_holds = bool(self._has_gate or self._max_runs)

    def close_within(self, ahead_s: float) -> bool:
        """Whether some of what is claimed now may no longer start after `ahead_s`."""
        return bool(self._closings) and self._closings.begin_within(elapsed_s(), ahead_s)

    def concern(self, keys: Collection[str]) -> bool:
        """Whether work with one of these keys may be for this worker."""
        return not self._keys.isdisjoint(keys)

    @property
    def is_lone(self) -> bool:
        """Whether a claim is a single statement, which needs no transaction around it."""
        return len(self._queues) == 1 and not self._has_holds and not self._needs_transaction

    def rotate(self) -> None:
        """Begin with the next queue, so that none is always first."""
        self._queues.append(self._queues.pop(0))

    def claim(self, tx: Tx, limit: int, *, held: bool = False) -> list[Lease]:
        """Return leases to carry out; graphs among the claimed runs begin at once and need no slot.

        Graphs that begin and runs that end may let other runs start, so the claim repeats.
        """
        ready: list[Lease] = []
        for rounds_left in reversed(range(ROUNDS)):
            leases = self._admit(tx, limit - len(ready), held=held)
            ready += self.complete(tx, leases)
            if not self.is_cut_short or len(ready) >= limit or not rounds_left:
                break
        return ready

    def are_to_complete(self, leases: Sequence[Lease]) -> bool:
        """Whether `complete` has anything to do for these leases."""
        facts = self._facts
        return any(
            lease.parent_id is not None or facts.get((lease.job, lease.version)) is not PLAIN
            for lease in leases
        )

    def complete(self, tx: Tx, leases: list[Lease]) -> list[Lease]:
        """Return the leases to carry out, complete, of leases that were just claimed.

        Graphs begin here, runs with a cached result end, and runs that a hold keeps back become
        pending.
        """
        if not self.are_to_complete(leases):
            return leases
        self._meet(tx, leases)
        free = hold_back(tx, leases, self._facts, namespace=self._namespace)
        graphs = [lease for lease in free if self._facts_of(lease).is_graph]
        if graphs:
            self._finish(tx, expand(tx, graphs, namespace=self._namespace))
            free = [lease for lease in free if not self._facts_of(lease).is_graph]
        ready = self.resolve(tx, free) if any(map(self._is_to_resolve, free)) else free
        self.is_cut_short = self.is_cut_short or len(ready) < len(leases)
        return ready

    def _meet(self, tx: Tx, leases: list[Lease]) -> None:
        """Look up the facts of the versions that this worker meets for the first time.

        Our code may be older or newer than the version of a run, which decides how the run begins.
        """
        for at in {(each.job, each.version) for each in leases} - self._facts.keys():
            self._facts[at] = self._look_up(tx, *at)

    def _look_up(self, tx: Tx, job: str, version: int) -> ClaimFacts:
        try:
            spec = find_spec(tx, job, version, namespace=self._namespace)
        except BadInput:  # what is carried out next reports what is wrong with it
            spec = None
        return self._own_facts.get(job, PLAIN) if spec is None else claim_facts(spec)

    def _facts_of(self, lease: Lease) -> ClaimFacts:
        return self._facts[lease.job, lease.version]

    def resolve(self, tx: Tx, leases: list[Lease]) -> list[Lease]:
        """Fill in the results that arguments refer to; return the leases that are left.

        Runs whose results cannot be had end here, and so do runs whose own result is cached.
        """
        asking = [lease for lease in leases if self._is_to_resolve(lease)]
        ready, verdicts = resolve(tx, asking, namespace=self._namespace)
        self._finish(tx, verdicts)
        ended = {verdict.run_id for verdict in verdicts}
        resolved = {lease.run_id: lease for lease in ready}
        return [resolved.get(lease.run_id, lease) for lease in leases if lease.run_id not in ended]

    def _is_to_resolve(self, lease: Lease) -> bool:
        return lease.parent_id is not None or self._facts_of(lease).is_cached

    def take(self, tx: Tx, limit: int, *, held: bool = False) -> list[Lease]:
        """Return leases as claimed, for jobs that may start now; `held` if beyond free slots."""
        return self._admit(tx, limit, held=held)

    def _admit(self, tx: Tx, limit: int, *, held: bool) -> list[Lease]:
        """Claim what may start now; without holds this is one statement for each queue."""
        self.is_cut_short = False
        if self._has_holds:
            return admit(tx, self._claim_request(limit, held=held))
        return claim(
            tx,
            namespace=self._namespace,
            queues=self._queues,
            jobs=self._jobs,
            worker_id=self.worker_id,
            limit=limit,
            held=held,
        )

    def _claim_request(self, limit: int, *, held: bool) -> Wanted:
        return Wanted(
            namespace=self._namespace,
            worker_id=self.worker_id,
            limit=limit,
            is_ahead=held,
            jobs=dict.fromkeys(self._queues, self._names),
            jobs_text=self._jobs,
            lanes=self._closings.lanes,
            shut=self._closings.shut(elapsed_s()) if self._has_gate else (),
            has_quota=self._closings.has_quota,
            max_runs=self._max_runs,
        )

    def _finish(self, tx: Tx, verdicts: Sequence[Verdict]) -> None:
        if verdicts:
            finish(tx, verdicts, namespace=self._namespace)
