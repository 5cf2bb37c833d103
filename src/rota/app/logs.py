"""Log lines of runs: read, searched, and followed as they come.

A follower is woken by the store's hints; a slow poll is the truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING, TypedDict, Unpack

from rota.clock import elapsed_s
from rota.engine.logs import LogCursor, read, search
from rota.engine.runs.find import endings, find, now_ms
from rota.engine.wakeup_keys import ENDED, LOGGED, NODE_ENDED
from rota.model.log import Level, LogLine
from rota.rules.text.duration import parse_duration
from rota.store.wakeups import EVERYWHERE

if TYPE_CHECKING:
    from rota.app.app import App

POLL_S = 0.5
LAST_WORDS_S = 1.0
"""Lines are stored beside the result, not with it: so long after the end they are waited for."""


class Narrowed(TypedDict, total=False):
    """How a search is narrowed."""

    job: str | None
    since: str | float | timedelta | None
    level: Level
    limit: int


def search_logs(app: App, text: str, **narrowed: Unpack[Narrowed]) -> list[LogLine]:
    """Search in the lines of all runs of the app's namespace."""
    since = narrowed.get("since")
    ago_ms = None if since is None else parse_duration(since)
    return app.store.read(
        lambda tx: search(
            tx,
            text,
            namespace=app.namespace,
            job=narrowed.get("job"),
            since=0 if ago_ms is None else now_ms(tx) - ago_ms,
            level=narrowed.get("level", "debug"),
            limit=narrowed.get("limit", 100),
        )
    )


class LogReader:
    """Reads the lines of one run, each once, in the order of claims and numbers."""

    def __init__(self, app: App, run_id: str) -> None:
        self._app = app
        self._run_id = run_id
        self._seen: dict[int, int] = {}

    def read(self) -> Iterator[LogLine]:
        """All lines that are stored and were not read yet."""
        while lines := self._page():
            for line in lines:
                self._seen[line.fence] = line.seq
            yield from lines

    def follow(self) -> Iterator[LogLine]:
        """Lines as they come, until the run has ended and has no more."""
        changed = Event()

        def woken(key: str) -> None:
            if key in (LOGGED, ENDED, NODE_ENDED, EVERYWHERE):
                changed.set()

        watch = self._app.store.watch(woken)
        try:
            end_s: float | None = None
            while end_s is None or elapsed_s() < end_s:
                changed.clear()
                if end_s is None and self._has_ended():
                    end_s = elapsed_s() + LAST_WORDS_S
                yield from self.read()
                changed.wait(POLL_S if end_s is None else max(0.0, end_s - elapsed_s()))
            yield from self.read()
        finally:
            watch.close()

    def _page(self) -> list[LogLine]:
        seen = [LogCursor(fence, seq) for fence, seq in self._seen.items()]
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: read(tx, self._run_id, namespace=namespace, seen=seen)
        )

    def _has_ended(self) -> bool:
        run_id, namespace = self._run_id, self._app.namespace
        ended = self._app.store.read(lambda tx: endings(tx, [run_id], namespace=namespace))
        if not ended and not self._seen:
            self._app.store.read(lambda tx: find(tx, run_id, namespace=namespace))
        return bool(ended)
