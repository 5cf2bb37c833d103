"""What a worker claims, from which queues and for which jobs; graphs begin in a claim."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from rota.clock import elapsed_s
from rota.engine.claim import claim
from rota.engine.expand import expand
from rota.engine.finish import finish
from rota.engine.keys import queue_key
from rota.engine.namespaces import room_to_run
from rota.engine.resolve import resolve
from rota.model.run import Lease, Verdict
from rota.runtime.options import Duty
from rota.runtime.warden import Closings
from rota.store.base import Tx

ROUNDS = 16
"""How often to claim again in one transaction because graphs have begun in it."""


class Claims:
    """Takes leases of one worker; not for two threads at once."""

    def __init__(self, duty: Duty) -> None:
        self.worker_id = ""
        self.is_cut_short = False
        """More graphs may be waiting than began in the last claim."""
        self._namespace = duty.namespace
        self._closings = Closings()
        self.serve(duty.queues, duty.jobs, duty.graphs)

    def serve(self, queues: Sequence[str], jobs: Sequence[str], graphs: Sequence[str]) -> None:
        self._queues = list(queues)
        self._keys = {queue_key(self._namespace, queue) for queue in queues}
        self._names = tuple(jobs)
        self._jobs = json.dumps(jobs)
        self._graphs = frozenset(graphs)

    def obey(self, closings: Closings) -> None:
        self._closings = closings

    def concern(self, keys: Collection[str]) -> bool:
        """Whether work with one of these keys may be ours."""
        return not self._keys.isdisjoint(keys)

    @property
    def is_lone(self) -> bool:
        """Whether a claim is one statement, which needs no transaction around it."""
        return len(self._queues) == 1 and not self._graphs and not self._closings

    def rotate(self) -> None:
        """Begin with the next queue, so that none is always first."""
        self._queues.append(self._queues.pop(0))

    def claim(self, tx: Tx, limit: int) -> list[Lease]:
        """Leases to carry out. Graphs among them begin here and now, and need no slot."""
        self.is_cut_short = False
        leases = self.take(tx, limit)
        for rounds_left in reversed(range(ROUNDS)):
            begin = [lease for lease in leases if lease.job in self._graphs]
            if not begin:
                break
            self._finish(tx, expand(tx, begin, namespace=self._namespace))
            leases = [lease for lease in leases if lease.job not in self._graphs]
            if rounds_left and len(leases) < limit:
                leases += self.take(tx, limit - len(leases))
            self.is_cut_short = not rounds_left
        return self.resolve(tx, leases) if are_nodes(leases) else leases

    def resolve(self, tx: Tx, leases: list[Lease]) -> list[Lease]:
        """With the results that their arguments ask for; those that cannot have them end."""
        ready, refused = resolve(tx, leases, namespace=self._namespace)
        self._finish(tx, refused)
        return ready

    def take(self, tx: Tx, limit: int) -> list[Lease]:
        """Leases as they come, for jobs that may start now."""
        if self._closings.has_quota:
            room = room_to_run(tx, self._namespace)
            limit = limit if room is None else min(limit, room)
            if not limit:
                return []
        if not self._closings:
            return self._take_from(tx, self._queues, self._jobs, limit)
        leases: list[Lease] = []
        for queue in self._queues:
            jobs = self._closings.open_jobs(self._names, queue, elapsed_s())
            if jobs and len(leases) < limit:
                left = limit - len(leases)
                leases += self._take_from(tx, [queue], json.dumps(jobs), left)
        return leases

    def _take_from(self, tx: Tx, queues: Sequence[str], jobs: str, limit: int) -> list[Lease]:
        return claim(
            tx,
            namespace=self._namespace,
            queues=queues,
            jobs=jobs,
            worker_id=self.worker_id,
            limit=limit,
        )

    def _finish(self, tx: Tx, verdicts: Sequence[Verdict]) -> None:
        if verdicts:
            finish(tx, verdicts, namespace=self._namespace)


def are_nodes(leases: Sequence[Lease]) -> bool:
    """Whether there are nodes of graphs among them, whose arguments may name results."""
    return any(lease.parent_id for lease in leases)
