"""The handle of one run behind a server."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING, Any, Self

import msgspec

from rota.clock import elapsed_s
from rota.errors import ArtifactLost, BadInput
from rota.handles.backend import Backend
from rota.handles.runs.run import LAST_WORDS_S, RunHandle
from rota.handles.threads import Threads, awaitable
from rota.ids import is_id
from rota.model.logs.log import LogLine
from rota.model.runs.run import Ended, ErrorDetail
from rota.model.states import FINAL, State
from rota.model.values.artifact import missing_digest

if TYPE_CHECKING:
    from rota.client.client import Client

WAIT_S = 25.0
"""How long one request waits; proxies cut off requests that are silent for much longer."""
FOLLOW_S = 0.5


class _End(msgspec.Struct):
    """The fields of a run's view that say how it ended; the result is not read here."""

    status: State
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: ErrorDetail | None = None
    reason: str | None = None


class ServedRun(RunHandle[Any]):
    """One requested run; everything but its id is requested from the server."""

    __slots__ = ("_client",)

    def __init__(self, client: Client, run_id: str) -> None:
        if not is_id(run_id):
            raise BadInput(f"{run_id!r:.64} is not the id of a run")
        self.id = run_id
        self._client = client

    @property
    def _backend(self) -> Backend:
        return self._client.backend

    def _other(self, run_id: str) -> Self:
        return type(self)(self._client, run_id)

    def follow_logs(self) -> Iterator[LogLine]:
        """Yield the lines of `logs` as they come; stop when the run has ended."""
        read = self._new_lines()
        end_s: float | None = None
        while end_s is None or elapsed_s() < end_s:
            yield from read()
            if end_s is None and self._end(FOLLOW_S).status in FINAL:
                end_s = elapsed_s() + LAST_WORDS_S
            elif end_s is not None:
                time.sleep(min(FOLLOW_S, max(0.0, end_s - elapsed_s())))
        yield from read()

    def _wait(self, timeout_s: float | None) -> Ended | None:
        end_s = None if timeout_s is None else elapsed_s() + timeout_s
        while True:
            left_s = WAIT_S if end_s is None else min(WAIT_S, max(0.0, end_s - elapsed_s()))
            ended = self._end(left_s)
            if ended.status in FINAL:
                text = bytes(ended.result).decode()
                has_result = ended.status is State.SUCCESS or text != "null"
                return Ended(
                    state=ended.status,
                    result=text if has_result else None,
                    error=ended.error,
                    reason=ended.reason,
                )
            if end_s is not None and elapsed_s() >= end_s:
                return None

    def _ending(self, timeout_s: float | None) -> Awaitable[Ended | None]:
        return awaitable(self._client.end_polls.later(self._wait, timeout_s))

    @property
    def _threads(self) -> Threads:
        return self._client.threads

    def _end(self, wait_s: float) -> _End:
        """Return the state of the run; with a wait, once it has ended or the time is over."""
        query = {"wait": f"{round(wait_s * 1000)}ms"} if wait_s else {}
        return self._client.line.get(f"/runs/{self.id}", _End, query, wait_s=wait_s)

    def _load(self, text: str) -> Any:
        if digest := missing_digest(text):
            reason = "is not there any more, or out of the server's reach"
            raise ArtifactLost(digest, reason, whose=f"the result of run {self.id}")
        return msgspec.json.decode(text)
