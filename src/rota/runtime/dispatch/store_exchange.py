"""The exchange of a worker with a store: verdicts and claims, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident

from rota.engine.failures.batch_isolation import write_apart
from rota.engine.runs.finish import finish
from rota.engine.workers.registry import note_stall
from rota.model.runs.run import Lease, Verdict
from rota.runtime.dispatch.claims import Claims
from rota.runtime.dispatch.verdicts import unavailable, verdict_on
from rota.runtime.options import WorkerScope
from rota.runtime.source import Exchanged
from rota.store.base import Store, Tx

SOON_S = 1.0
"""Runs held when a maintenance window begins would start inside it."""
WHO = "rota-courier"


class StoreExchange:
    """Exchanges runs for a worker that has a store (RunExchange)."""

    batch = 1000
    is_full = False
    report_of = staticmethod(verdict_on)
    refusal_of = staticmethod(unavailable)

    def __init__(self, store: Store, scope: WorkerScope) -> None:
        self._store = store
        self._namespace = scope.namespace
        self.claims = Claims(scope)
        self.find_work = scope.find_work
        self.forbids_prefetch: Callable[[], bool] = partial(self.claims.close_within, SOON_S)
        self.claiming_thread = 0
        """The thread that is in a claiming transaction of ours."""
        self.wake_count = 0
        """The number of wake-ups in that transaction at the time of our claim."""

    @property
    def worker_id(self) -> str:
        return self.claims.worker_id

    @worker_id.setter
    def worker_id(self, worker_id: str) -> None:
        self.claims.worker_id = worker_id

    def exchange(self, verdicts: list[Verdict], want: int, ahead: int) -> Exchanged:
        """Send and claim at once; if that raises, one by one, and the bad ones fail."""
        claims, held = self.claims, ahead > 0
        lone = not verdicts and claims.is_lone
        if want:
            self.claiming_thread = get_ident()
        try:
            lost, leases = write_apart(
                lambda work: self._store.write(work, lone=lone),
                lambda tx: self._trade(tx, verdicts, want, lone=lone, held=held),
                who=WHO,
                again=self._store.write,
            )
            if lone and claims.are_to_complete(leases):
                leases = write_apart(
                    self._store.write, lambda tx: claims.complete(tx, leases), who=WHO
                )
        finally:
            self.claiming_thread = 0
        if leases:
            claims.rotate()
        return lost, leases, claims.is_cut_short

    def note_stall(self, why: str | None) -> None:
        self._store.write(lambda tx: note_stall(tx, self.worker_id, why), lone=True)

    def _trade(
        self, tx: Tx, verdicts: list[Verdict], want: int, *, lone: bool, held: bool
    ) -> tuple[list[str], list[Lease]]:
        lost = finish(tx, verdicts, namespace=self._namespace) if verdicts else []
        if not want:
            return lost, []
        take = self.claims.take if lone else self.claims.claim
        leases = take(tx, want, held=held)
        self.wake_count = tx.wake_count
        return lost, leases
