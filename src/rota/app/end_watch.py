"""Ends of runs for whoever awaits them: one thread watches for any number of futures."""

from __future__ import annotations

import time
from concurrent.futures import Future
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

from rota.clock import elapsed_s
from rota.engine.runs.find import endings, find_all
from rota.engine.wakeup_keys import ENDED, NODE_ENDED
from rota.errors import StoreUnavailable, UnknownRun
from rota.ids import is_id
from rota.model.runs.run import Ended
from rota.store.wakeups import EVERYWHERE

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.store.base import Store, Tx

POLL_S = 0.5
MOST = 1000
"""The most runs of one statement."""


class _Awaited:
    """A run whose end somebody awaits, until a moment in time."""

    __slots__ = ("end_s", "future", "is_known", "is_node", "run_id")

    def __init__(self, run_id: str, timeout_s: float | None) -> None:
        self.run_id = run_id
        self.end_s = None if timeout_s is None else elapsed_s() + timeout_s
        self.future: Future[Ended | None] = Future()
        self.is_known = False
        self.is_node = False

    def settle(self, answer: Ended | Exception | None) -> None:
        """Answer, unless that was done or nobody waits any more."""
        if self.future.done() or not self.future.set_running_or_notify_cancel():
            return
        if isinstance(answer, Exception):
            self.future.set_exception(answer)
        else:
            self.future.set_result(answer)


class _Found(NamedTuple):
    """Some runs as one read found them."""

    ended: dict[str, Ended]
    parents: dict[str, str | None]
    """The parents of the runs that no read before has met."""


class EndWatch:
    """Settles futures when runs end; its thread lives while there is one."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._lock = Lock()
        self._woken = Event()
        self._awaited: list[_Awaited] = []
        self._thread: Thread | None = None

    def later(self, run_id: str, timeout_s: float | None) -> Future[Ended | None]:
        """Return how the run ends, or None once the time is over; UnknownRun if there is none."""
        if not is_id(run_id):
            raise UnknownRun(run_id)
        awaited = _Awaited(run_id, timeout_s)
        with self._lock:
            self._awaited.append(awaited)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="rota-ends", daemon=True)
                self._thread.start()
        self._woken.set()
        return awaited.future

    def close(self) -> None:
        """Refuse whom no answer can reach any more, and end the thread."""
        thread = self._thread
        self._refuse(StoreUnavailable("the app was closed while the end of a run was awaited"))
        self._woken.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        try:
            self._watch(self._app.store)
        except Exception as error:  # noqa: BLE001  # everybody who waits must hear of it
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        with self._lock:
            refused, self._awaited, self._thread = self._awaited, [], None
            for each in refused:
                each.settle(error)

    def _watch(self, store: Store) -> None:
        watch = store.watch(self._hear)
        try:
            while waiting := self._waiting():
                self._woken.clear()
                began_s = elapsed_s()
                for at in range(0, len(waiting), MOST):
                    self._look(store, waiting[at : at + MOST])
                # While ends come in a rush, at most half of the time goes into looking for them.
                time.sleep(min(POLL_S, elapsed_s() - began_s))
                self._woken.wait(self._left_s())
        finally:
            watch.close()

    def _waiting(self) -> list[_Awaited]:
        with self._lock:
            self._awaited = [each for each in self._awaited if not each.future.done()]
            if not self._awaited:
                self._thread = None
            return self._awaited[:]

    def _look(self, store: Store, waiting: list[_Awaited]) -> None:
        ids = {each.run_id for each in waiting}
        new = {each.run_id for each in waiting if not each.is_known}
        namespace = self._app.namespace

        def read(tx: Tx) -> _Found:
            ended = endings(tx, sorted(ids), namespace=namespace)
            views = find_all(tx, sorted(new - ended.keys()), namespace=namespace)
            return _Found(ended, {run_id: view.parent_id for run_id, view in views.items()})

        found = store.read(read)
        with self._lock:
            for each in waiting:
                self._tell(each, found)

    def _tell(self, each: _Awaited, found: _Found) -> None:
        if each.run_id in found.ended:
            each.settle(found.ended[each.run_id])
        elif not each.is_known and each.run_id not in found.parents:
            each.settle(UnknownRun(each.run_id))
        elif each.end_s is not None and each.end_s <= elapsed_s():
            each.settle(None)
        elif not each.is_known:
            each.is_known = True
            each.is_node = found.parents[each.run_id] is not None
            if each.is_node:
                self._woken.set()  # hints of its end were not for us until now

    def _left_s(self) -> float:
        with self._lock:
            ends_s = [each.end_s for each in self._awaited if each.end_s is not None]
        return max(0.0, min([POLL_S, *(end_s - elapsed_s() for end_s in ends_s)]))

    def _hear(self, key: str) -> None:
        if key in (ENDED, EVERYWHERE) or (key == NODE_ENDED and self._has_nodes()):
            self._woken.set()

    def _has_nodes(self) -> bool:
        return any(each.is_node for each in self._awaited)
