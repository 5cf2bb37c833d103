"""Run: the handle of one run in the store of an App."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from rota.clock import elapsed_s
from rota.engine.runs.find import endings
from rota.engine.wakeup_keys import ENDED, LOGGED, NODE_ENDED
from rota.errors import ArtifactLost
from rota.handles.backend import Backend
from rota.handles.runs.run import LAST_WORDS_S, RunHandle
from rota.handles.threads import Threads, awaitable
from rota.model.logs.log import LogLine
from rota.model.runs.run import Ended, RunView
from rota.model.values.artifact import is_pointer
from rota.model.view import JsonText
from rota.store.wakeups import EVERYWHERE

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.jobs.job import Job
    from rota.handles.backend import Backend

R = TypeVar("R")
POLL_S = 0.5


class Run(RunHandle[R]):
    """One requested execution."""

    __slots__ = ("_app", "_job")

    def __init__(self, app: App, run_id: str, job: Job[Any, R] | None = None) -> None:
        self.id = run_id
        self._app = app
        self._job = job

    @property
    def _backend(self) -> Backend:
        return self._app.backend

    def _other(self, run_id: str) -> Self:
        return type(self)(self._app, run_id, self._job)

    def show(self) -> RunView:
        """Return all that is known about the run now."""
        return self.filled(super().show())

    def filled(self, view: RunView) -> RunView:
        """Return the view with the values that are stored apart from it."""
        if not is_pointer(view.args) and not (view.result and is_pointer(view.result)):
            return view
        result = None if view.result is None else JsonText(self._shown(view.result))
        return msgspec.structs.replace(view, args=JsonText(self._shown(view.args)), result=result)

    def follow_logs(self) -> Iterator[LogLine]:
        """Yield the lines of `logs` as they come; stop when the run has ended."""
        changed = Event()

        def woken(key: str) -> None:
            if key in (LOGGED, ENDED, NODE_ENDED, EVERYWHERE):
                changed.set()

        read = self._new_lines()
        watch = self._app.store.watch(woken)
        try:
            end_s: float | None = None
            while end_s is None or elapsed_s() < end_s:
                changed.clear()
                if end_s is None and self._has_ended():
                    end_s = elapsed_s() + LAST_WORDS_S
                yield from read()
                changed.wait(POLL_S if end_s is None else max(0.0, end_s - elapsed_s()))
            yield from read()
        finally:
            watch.close()

    def _has_ended(self) -> bool:
        namespace = self._app.namespace
        return bool(self._app.store.read(lambda tx: endings(tx, [self.id], namespace=namespace)))

    def _wait(self, timeout_s: float | None) -> Ended | None:
        ended = self._app.waiter.wait(self.id, timeout_s)
        return None if ended is None else self._whole(ended)

    async def _ending(self, timeout_s: float | None) -> Ended | None:
        ended = await awaitable(self._app.end_watch.later(self.id, timeout_s))
        return None if ended is None else await self._threads.call(self._whole, ended)

    @property
    def _threads(self) -> Threads:
        return self._app.threads

    def _whole(self, ended: Ended) -> Ended:
        """Return the end with a result that is stored apart from it."""
        if ended.result is None or not is_pointer(ended.result):
            return ended
        return msgspec.structs.replace(ended, result=self._shown(ended.result))

    def _load(self, text: str) -> R:
        text = self._app.artifact_store.value(text, f"the result of run {self.id}")
        job = self._job or self._app.everything.get(super().show().job)
        value: R = job.signature.load_result(text) if job else msgspec.json.decode(text)
        return value

    def _shown(self, text: str) -> str:
        """Return a value for display; if it is lost or its store is away, return the pointer."""
        if not is_pointer(text):
            return text
        try:
            return self._app.artifact_store.value(str(text), f"a value of run {self.id}")
        except (ArtifactLost, OSError):
            return text
