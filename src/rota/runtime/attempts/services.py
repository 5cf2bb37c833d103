"""Run services: what a running handler may do in the store, always under the fence of its lease.

One instance per worker; a child process opens its own at the same address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec

from rota.clock import elapsed_s
from rota.engine.runs.commit import commit
from rota.engine.runs.effects.ledger import Intent, check_lease, intend, retract, settle
from rota.engine.runs.handler_state import load_checkpoint, save_checkpoint
from rota.engine.runs.search.labels import change_own_labels
from rota.engine.schedules.last_success import LastSuccess, last_success
from rota.errors import StoreUnavailable
from rota.model.runs.labels import Labels
from rota.model.runs.run import Lease
from rota.model.values.artifact import is_pointer
from rota.rules.runs.effect_keys import args_digest
from rota.rules.runs.labels import read_changes
from rota.runtime.attempts.transaction import Transaction
from rota.runtime.values.artifacts import ArtifactStore
from rota.store.base import Store, Tx
from rota.store.kinds import dialect_named
from rota.store.settled import until_settled

IDLE_MS = 10_000
TRIES = 3
"""How often `apply` is called when its transaction breaks midway: `apply` may be the cause."""
T = TypeVar("T")


def never() -> bool:
    return False


class Address(NamedTuple):
    """Where a child process finds the store and the artifacts."""

    url: str
    namespace: str
    artifacts: str
    """The setting of the artifact store."""


class _Own(Exception):
    """Carries an error of the handler past the code that waits out our own outages."""


class RunServices:
    """Reads and writes for the attempts of one worker."""

    address: Address | None
    """The address for a child process; None if it has to ask its worker."""

    def __init__(
        self, address: Address, store: Callable[[], Store], artifact_store: ArtifactStore
    ) -> None:
        self.address = address
        self._store = store
        self._artifact_store = artifact_store
        self._namespace = address.namespace

    def save_checkpoint(self, lease: Lease, state: str) -> None:
        self._write(lambda tx: save_checkpoint(tx, lease, state, namespace=self._namespace))

    def load_checkpoint(self, lease: Lease) -> str | None:
        return self._read(lambda tx: load_checkpoint(tx, lease, namespace=self._namespace))

    def label(self, lease: Lease, labels: Mapping[str, Any]) -> Labels:
        """Set labels of the run, remove those that are None; return all that it has then."""
        put, remove = read_changes("labels", labels)
        at: dict[str, Any] = {"namespace": self._namespace, "put": put, "remove": remove}
        return _patiently(
            lambda _: self._store().write(lambda tx: change_own_labels(tx, lease, **at))
        )

    def check_lease(self, lease: Lease) -> None:
        """Raise LeaseLost when writes of this attempt do not count any more."""
        self._read(lambda tx: check_lease(tx, lease, namespace=self._namespace))

    def last_success(self, lease: Lease, schedule: str) -> LastSuccess:  # noqa: ARG002  # remote workers name it
        last = self._read(lambda tx: last_success(tx, schedule, namespace=self._namespace))
        if not is_pointer(last.result):
            return last
        result = self._artifact_store.value(
            last.result or "", f"the last result of schedule {schedule!r}"
        )
        return msgspec.structs.replace(last, result=result)

    def intend(self, lease: Lease, name: str) -> Intent:
        digest = None if lease.parent_id is None else args_digest(lease.args)
        # Not repeated when its commit is in doubt: it would look begun by another attempt.
        return _patiently(
            lambda _: self._store().write(
                lambda tx: intend(tx, lease, name, namespace=self._namespace, digest=digest)
            ),
            repeats=False,
        )

    def settle(self, lease: Lease, name: str, result: str) -> None:
        self._write(lambda tx: settle(tx, lease, name, namespace=self._namespace, result=result))

    def retract(self, lease: Lease, name: str) -> None:
        self._write(lambda tx: retract(tx, lease, name, namespace=self._namespace))

    def limit_s(self, asked_s: float | None) -> float:
        """Return the time limit of a transaction; SQLite never allows more than the default."""
        dialect = dialect_named(self._store().dialect)
        if asked_s is None:
            return dialect.transaction_limit_s
        return min(asked_s, dialect.transaction_limit_s) if dialect.is_limit_fixed else asked_s

    def commit(
        self,
        lease: Lease,
        apply: Callable[[Transaction], str],
        *,
        limit_s: float,
        gives_up: Callable[[], bool] = never,
    ) -> None:
        """End the run together with what `apply` does, which may be called again until it counts.

        An outage is waited out, like at the end of a run without a transaction. When the connection
        breaks during the commit, the database is asked whether it took place. Raises
        StoreUnavailable, or CommitUnknown if that cannot be found out, only after three breaks or
        if `gives_up` returns True.
        """
        begun = 0

        def guarded(tx: Tx) -> str:
            nonlocal begun
            begun += 1
            narrow = Transaction(tx, namespace=self._namespace, limit_s=limit_s)
            end_s = elapsed_s() + limit_s
            try:
                result = apply(narrow)
                narrow.check()
            except Exception as error:
                # Another store of the handler, or its own time limit: not an outage of our store.
                if isinstance(error, StoreUnavailable) or elapsed_s() >= end_s:
                    raise _Own from error
                raise
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
            _patiently(
                lambda is_repeat: self._store().write(partial(work, is_repeat=is_repeat)),
                gives_up=lambda: begun >= TRIES or gives_up(),
            )
        except _Own as thrown:
            raise thrown.__cause__ or thrown from None

    def _write(self, work: Callable[[Tx], None]) -> None:
        """Do a write that may be repeated without harm."""
        _patiently(lambda _: self._store().write(work))

    def _read(self, work: Callable[[Tx], T]) -> T:
        return _patiently(lambda _: self._store().read(work))


def _patiently(
    work: Callable[[bool], T], *, gives_up: Callable[[], bool] = never, repeats: bool = True
) -> T:
    """Do the work when the store is there: an outage costs the handler no attempt.

    A handler that is stopped meanwhile leaves at once.
    """
    return until_settled(work, gives_up=gives_up, rides_out=True, repeats=repeats)
