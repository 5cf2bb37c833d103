"""The desk: what a running handler may ask of the store, always under the fence of its lease.

One per worker; a child process opens one of its own at the same address.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import msgspec

from rota.clock import elapsed_s
from rota.engine.checkpoint import load_checkpoint, save_checkpoint
from rota.engine.commit import commit
from rota.engine.effects import Intent, intend, retract, settle
from rota.engine.last_success import LastSuccess, last_success
from rota.errors import CommitUnknown, StoreUnavailable
from rota.model.artifact import is_pointer
from rota.model.run import Lease
from rota.runtime.transaction import Transaction
from rota.runtime.vault import Vault
from rota.store.base import Store, Tx

LIMIT_S = {"postgres": 30.0, "sqlite": 5.0}
"""How long a handler's transaction may take. SQLite has one writer: everybody waits for it, and
other processes give up after 10 s."""
IDLE_MS = 10_000
ASK_S = 15.0
"""How long to ask whether a commit took place whose connection broke."""


class Address(NamedTuple):
    """Where a desk is."""

    url: str
    namespace: str
    artifacts: str
    """Where large values are, as the setting says it."""


class Desk:
    """Reads and writes for the calls of one worker."""

    address: Address | None
    """Where a child process finds the same; None if it has to ask us."""

    def __init__(self, address: Address, store: Callable[[], Store], vault: Vault) -> None:
        self.address = address
        self._store = store
        self._vault = vault
        self._namespace = address.namespace

    def save_checkpoint(self, lease: Lease, state: str) -> None:
        self._surely(lambda tx: save_checkpoint(tx, lease, state, namespace=self._namespace))

    def load_checkpoint(self, lease: Lease) -> str | None:
        return self._store().read(lambda tx: load_checkpoint(tx, lease, namespace=self._namespace))

    def last_success(self, lease: Lease, schedule: str) -> LastSuccess:  # noqa: ARG002  # see far_desk
        found = self._store().read(lambda tx: last_success(tx, schedule, namespace=self._namespace))
        if not is_pointer(found.result):
            return found
        result = self._vault.value(found.result or "", f"the last result of schedule {schedule!r}")
        return msgspec.structs.replace(found, result=result)

    def intend(self, lease: Lease, name: str) -> Intent:
        return self._store().write(lambda tx: intend(tx, lease, name, namespace=self._namespace))

    def settle(self, lease: Lease, name: str, result: str) -> None:
        self._surely(lambda tx: settle(tx, lease, name, namespace=self._namespace, result=result))

    def retract(self, lease: Lease, name: str) -> None:
        self._surely(lambda tx: retract(tx, lease, name, namespace=self._namespace))

    def limit_s(self, asked_s: float | None) -> float:
        """The time for a transaction; asking for more than the default is in vain on SQLite."""
        most_s = LIMIT_S[self._store().dialect]
        if asked_s is None:
            return most_s
        return min(asked_s, most_s) if self._store().dialect == "sqlite" else asked_s

    def commit(self, lease: Lease, apply: Callable[[Transaction], str], *, limit_s: float) -> None:
        """End the run together with what `apply` does; it may be called twice after a deadlock.

        When the connection breaks during the commit, the database is asked whether it took
        place; CommitUnknown only if that is in vain for 15 s.
        """

        def guarded(tx: Tx) -> str:
            narrow = Transaction(tx, namespace=self._namespace, limit_s=limit_s)
            try:
                result = apply(narrow)
                narrow.check()
            finally:
                narrow.close()
            return result

        work = partial(
            commit,
            lease=lease,
            apply=guarded,
            namespace=self._namespace,
            limit_ms=round(limit_s * 1000),
            idle_ms=IDLE_MS,
        )
        try:
            self._store().write(work)
        except CommitUnknown as unknown:
            self._ask_again(partial(work, is_repeat=True), unknown)

    def _surely(self, work: Callable[[Tx], None]) -> None:
        """A write that does no harm when it is made twice."""
        try:
            self._store().write(work)
        except CommitUnknown as unknown:
            self._ask_again(work, unknown)

    def _ask_again(self, work: Callable[[Tx], None], unknown: CommitUnknown) -> None:
        end_s = elapsed_s() + ASK_S
        while elapsed_s() < end_s:
            try:
                return self._store().write(work)
            except StoreUnavailable:
                time.sleep(random.uniform(0.05, 0.5))
        raise unknown
