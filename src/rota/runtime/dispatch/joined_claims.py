"""Joined claims: an idle worker claims inside the commit that brings it work (ADR 3)."""

from __future__ import annotations

from collections.abc import Collection
from threading import get_ident

from rota.model.runs.run import Lease
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.dispatch.courier import Courier
from rota.runtime.dispatch.store_exchange import StoreExchange
from rota.store.base import JoinedWork, Tx


class JoinedClaims:
    """Claims for a courier in those transactions of this process that wake it."""

    def __init__(
        self, runs: StoreExchange, courier: Courier, calls: AttemptTable, *, slots: int
    ) -> None:
        self._runs = runs
        self._courier = courier
        self._calls = calls
        self._slots = slots

    def join(self, tx: Tx, keys: Collection[str]) -> JoinedWork | None:
        """Claim for free slots inside a transaction that brings work for us.

        Holds the courier's turn until that transaction has ended; does nothing while the turn is
        taken.
        """
        runs, courier = self._runs, self._courier
        if not runs.claims.concern(keys):
            return None
        if runs.claiming_thread == get_ident():
            # Our own transaction, shared with others: our claim missed work that they added later.
            courier.looks = courier.looks or tx.wake_count > runs.wake_count
            return None
        if not courier.turn.acquire(blocking=False):
            return None
        try:
            free = self._slots - len(self._calls)
            is_well = not courier.failures and not courier.is_cut_off
            if free > 0 and courier.is_claiming and is_well:
                return _JoinedClaim(self, runs.claims.claim(tx, free))
        except BaseException:
            courier.turn.release()
            raise
        courier.turn.release()
        return None

    def ended(self, leases: list[Lease]) -> None:
        """Open the leases of a transaction that has ended; a failed one brings none."""
        courier, claims = self._courier, self._runs.claims
        try:
            courier.open(leases)
            if leases:
                claims.rotate()
            is_cut_short = claims.is_cut_short
        finally:
            courier.turn.release()
        if is_cut_short:
            courier.look()


class _JoinedClaim:
    """Leases claimed in somebody's transaction, ours once it is committed."""

    def __init__(self, claims: JoinedClaims, leases: list[Lease]) -> None:
        self._claims = claims
        self._leases = leases

    def committed(self) -> None:
        self._claims.ended(self._leases)

    def fail(self) -> None:
        self._claims.ended([])
