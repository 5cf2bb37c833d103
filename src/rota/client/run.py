"""A run behind a server: the same verbs as of one in the database."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from rota.client.documents import (
    AttemptAnswer,
    LineAnswer,
    Named,
    Page,
    ReasonAnswer,
    RunAnswer,
    attempt_view,
    log_line,
    reason,
    run_view,
)
from rota.clock import elapsed_s
from rota.engine.graphs.control import Part
from rota.engine.insight.reasons import Reason
from rota.errors import ArtifactLost, BadGraph, BadInput, RunFailed, RunNotFinished
from rota.handles.graph_runs import GraphRun
from rota.ids import is_id
from rota.model.artifact import missing_digest
from rota.model.log import LogLine
from rota.model.run import AttemptView, Ended, RunView
from rota.model.states import FINAL, State
from rota.rules.text.duration import parse_duration

if TYPE_CHECKING:
    from rota.client.client import Client
    from rota.client.http_backend import HttpBackend

WAIT_S = 25.0
"""How long one request waits; proxies cut off those that are silent for much longer."""
FOLLOW_S = 0.5
LAST_WORDS_S = 1.0
"""Lines are stored beside the result, not with it: so long after the end they are waited for."""


class ServedRun(GraphRun):
    """One requested execution; everything but its id is asked of the server."""

    __slots__ = ("_client", "id")

    def __init__(self, client: Client, run_id: str) -> None:
        if not is_id(run_id):
            raise BadInput(f"{run_id!r:.64} is not the id of a run")
        self.id = run_id
        self._client = client

    def __repr__(self) -> str:
        return f"<ServedRun {self.id}>"

    @property
    def backend(self) -> HttpBackend:
        """Each operation is a request to the server."""
        return self._client.backend

    def show(self) -> RunView:
        """All that is known about the run right now."""
        return run_view(self.answer())

    def answer(self, wait_s: float = 0.0) -> RunAnswer:
        """What the server says of it; if it waits, once the run has ended or time is over."""
        query = {"wait": f"{round(wait_s * 1000)}ms"} if wait_s else {}
        return self._client.line.get(f"/runs/{self.id}", RunAnswer, query, wait_s=wait_s)

    @property
    def state(self) -> State:
        """Where the run is in its life; asks the server."""
        return self.answer().status

    def attempts(self) -> list[AttemptView]:
        """The attempts that did not succeed, oldest first."""
        page = self._client.line.get(f"/runs/{self.id}/attempts", Page[AttemptAnswer])
        return [attempt_view(each) for each in page.items]

    def tally(self) -> dict[str, int]:
        """How often it ended in an `error`, `timeout` or `crash`, or was `lost`; no zeros."""
        return dict(self.answer().tally)

    def on_failure_run(self) -> ServedRun | None:
        """The run that was submitted because this one failed; None if there is none."""
        told = self.answer().on_failure_run
        return None if told is None else ServedRun(self._client, told)

    def why(self, node: str | None = None) -> list[Reason]:
        """Why it, or a node of it, is not running now, with numbers; most telling first."""
        page = self._client.line.get(f"/runs/{self.id}/why", Page[ReasonAnswer], {"node": node})
        return [reason(each) for each in page.items]

    def logs(self) -> list[LogLine]:
        """The lines that its handler printed and logged so far, of all attempts, in order."""
        return list(_Reader(self).read())

    def follow_logs(self) -> Iterator[LogLine]:
        """The same lines as they come; ends when the run has ended."""
        return _Reader(self).follow()

    def wait(self, timeout: str | float | None = None) -> Ended:
        """Wait for the end, whatever it is; RunNotFinished when it takes too long."""
        timeout_s = None if timeout is None else parse_duration(timeout) / 1000
        end_s = None if timeout_s is None else elapsed_s() + timeout_s
        while True:
            left_s = WAIT_S if end_s is None else min(WAIT_S, max(0.0, end_s - elapsed_s()))
            run = self.answer(left_s)
            if run.status in FINAL:
                seen = run_view(run)
                return Ended(
                    state=seen.state, result=seen.result, error=seen.error, reason=seen.reason
                )
            if timeout_s is not None and end_s is not None and elapsed_s() >= end_s:
                raise RunNotFinished(f"run {self.id} is still {run.status} after {timeout_s:g} s")

    def result(self, timeout: str | float | None = None) -> Any:
        """Wait for the result, as plain JSON values; RunFailed when it ended without one."""
        ended = self.wait(timeout)
        if ended.state is not State.SUCCESS:
            said = f"{ended.error.type}: {ended.error.message}" if ended.error else ""
            why = "; ".join(part for part in (ended.reason, said) if part)
            raise RunFailed(self.id, ended.state, why or "no reason given")
        text = ended.result or "null"
        if digest := missing_digest(text):
            found = "is not there any more, or out of the server's reach"
            raise ArtifactLost(digest, found, whose=f"the result of run {self.id}")
        return msgspec.json.decode(text)

    def cancel(self, reason: str = "cancelled", *, force: bool = False) -> State:
        """End a waiting run now, ask a running one to stop; returns the state reached."""
        body = {"reason": reason, "force": force} if force else {"reason": reason}
        said = self._client.line.post(f"/runs/{self.id}/cancel", Named, body)
        return State(said.status)

    def rerun(self) -> ServedRun:
        """A new run with the same arguments, linked to this one; closes its dead letter."""
        said = self._client.line.post(f"/runs/{self.id}/rerun", Named)
        return ServedRun(self._client, said.run_id)

    def rerun_nodes(
        self,
        part: Part = "failed",
        node: str | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        why: str = "",
    ) -> ServedRun:
        """Of a graph that has ended: a new run, linked to it, that keeps what need not be redone.

        part: `failed` with all after it, `from` a node with all after it, `only` a node, `all`.
        """
        if part in ("from", "only") and node is None:
            raise BadGraph("name the node to run again")
        parts: dict[str, dict[str, Any]] = {
            "failed": {"fromFailed": True},
            "from": {"fromNode": node},
            "only": {"fromNode": node, "downstream": False},
            "all": {"allNodes": True},
        }
        args = None if params is None else dict(params)
        said = self._post("rerun", {**parts[part], "args": args, "reason": why or None})
        return ServedRun(self._client, said.run_id)

    def _post(self, verb: str, body: Mapping[str, Any]) -> Named:
        given = {name: value for name, value in body.items() if value is not None}
        return self._client.line.post(f"/runs/{self.id}/{verb}", Named, given)

    def page(self, after: str | None) -> Page[LineAnswer]:
        """Log lines after a mark; all from the first on without one."""
        return self._client.line.get(f"/runs/{self.id}/logs", Page[LineAnswer], {"after": after})


class _Reader:
    """Reads the lines of one run, each once."""

    def __init__(self, run: ServedRun) -> None:
        self._run = run
        self._job = ""
        self._after: str | None = None

    def read(self) -> Iterator[LogLine]:
        self._job = self._job or self._run.answer().job
        while (page := self._run.page(self._after)).items:
            self._after = page.next
            for each in page.items:
                yield log_line(each, run_id=self._run.id, job=self._job)

    def follow(self) -> Iterator[LogLine]:
        end_s: float | None = None
        while end_s is None or elapsed_s() < end_s:
            yield from self.read()
            if end_s is None and self._run.answer(FOLLOW_S).status in FINAL:
                end_s = elapsed_s() + LAST_WORDS_S
            elif end_s is not None:
                time.sleep(min(FOLLOW_S, max(0.0, end_s - elapsed_s())))
        yield from self.read()
