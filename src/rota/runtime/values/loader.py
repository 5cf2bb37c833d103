"""Loads large arguments and stores large results, in threads beside the attempts.

They have threads of their own, so that neither the courier nor an event loop waits for a disk or a
network.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import msgspec

from rota.clock import elapsed_s
from rota.engine.graphs.nodes.arguments import resolve_later, whose
from rota.engine.values.result_cache import recall
from rota.errors import BadInput
from rota.model.runs.run import CACHED, ErrorDetail, Lease
from rota.model.values.artifact import is_pointer
from rota.notices import emit
from rota.runtime.attempts.attempt import (
    Attempt,
    Done,
    Ending,
    Raised,
    Returned,
    Stopped,
    StopReason,
)
from rota.runtime.values.artifacts import ArtifactStore
from rota.scripts import class_name
from rota.store.base import ScopedStore

THREADS = 8


class ValueLoader:
    """Completes the arguments of attempts before they start, and stores results when they end."""

    def __init__(
        self, store: ScopedStore, artifact_store: ArtifactStore, *, namespace: str
    ) -> None:
        self._store = store
        self._artifact_store = artifact_store
        self._namespace = namespace
        self._pool: ThreadPoolExecutor | None = None
        self._fetching: set[Attempt] = set()
        self._lock = Lock()

    def is_wanted_before(self, lease: Lease) -> bool:
        return lease.is_open or is_pointer(lease.args)

    def is_wanted_after(self, call: Attempt, ending: Ending) -> bool:
        return (
            isinstance(ending, Returned)
            and self._artifact_store.takes(ending.result)
            and not call.lease.is_asked
            and not call.is_committed
        )

    def fetch(self, call: Attempt, start: Callable[[Attempt], None], done: Done) -> None:
        """Start the attempt once its arguments are complete; end it if they cannot be completed."""
        with self._lock:
            self._fetching.add(call)
        self._threads().submit(self._fetch, call, start, done)

    def withdraw(self, call: Attempt, why: StopReason, done: Done) -> bool:
        """End an attempt that still waits for its arguments; False if it does not wait."""
        if not self._take(call):
            return False
        done(call, Stopped(why))
        return True

    def waiting(self) -> list[Attempt]:
        """The attempts that have not started because their arguments are being loaded."""
        with self._lock:
            return list(self._fetching)

    def put_away(self, call: Attempt, ending: Ending, done: Done) -> None:
        """Report the end of an attempt once its result is stored."""
        self._threads().submit(self._put_away, call, ending, done)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _fetch(self, call: Attempt, start: Callable[[Attempt], None], done: Done) -> None:
        ending: Ending | None = None
        try:
            call.lease = self.completed(call.lease)
            ending = self.known(call)
        except BadInput as error:
            ending = incomplete(error)
        except Exception as error:  # noqa: BLE001  # a store that is away: worth another attempt
            emit("artifact.unavailable", run=call.lease.run_id, job=call.lease.job, error=error)
            ending = incomplete(error)
        if not self._take(call):
            return
        if ending is None:
            start(call)
        else:
            done(call, ending)

    def completed(self, lease: Lease) -> Lease:
        """Return the lease with its arguments; BadInput if they cannot be made."""
        unresolved = self._store.read(
            lambda tx: resolve_later(tx, lease, namespace=self._namespace)
        )
        unresolved.fill(self._artifact_store.values(unresolved.apart(), whose(lease)))
        return unresolved.resolved()

    def known(self, call: Attempt) -> Returned | None:
        """Return the result of the attempt if it is known already; it is not cached again then."""
        lease = call.lease
        if lease.memo_key is None:
            return None
        memos = self._store.read(lambda tx: recall(tx, (lease,), namespace=self._namespace))
        if lease.run_id not in memos:
            return None
        call.lease = msgspec.structs.replace(lease, memo_key=None)
        memo = memos[lease.run_id]
        return Returned(memo.result, reason=f"{CACHED}{memo.run_id}")

    def _put_away(self, call: Attempt, ending: Ending, done: Done) -> None:
        try:
            if isinstance(ending, Returned):
                held_ms = round((elapsed_s() - call.claimed_s) * 1000)
                text = self._artifact_store.put(
                    ending.result, now_ms=call.lease.claimed_at + held_ms
                )
                ending = Returned(text, reason=ending.reason)
        finally:
            done(call, ending)

    def _take(self, call: Attempt) -> bool:
        with self._lock:
            if call not in self._fetching:
                return False
            self._fetching.discard(call)
            return True

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="rota-porter")
            return self._pool


def incomplete(error: Exception) -> Raised:
    """Return the end of an attempt whose arguments could not be loaded."""
    if isinstance(error, BadInput):
        return Raised(error=_detail(error), gives_up=True)
    return Raised(error=_detail(error), types=_names(error), exception=error)


def _detail(error: Exception) -> ErrorDetail:
    return ErrorDetail(type=type(error).__name__, message=str(error)[:2_000])


def _names(error: Exception) -> tuple[str, ...]:
    return tuple(class_name(each) for each in type(error).__mro__[:-1])
