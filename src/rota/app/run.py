"""Run: the handle of one run. It knows its id; everything else is asked of the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from rota.app.logs import LogReader
from rota.engine.failures.on_failure import told_run
from rota.engine.graphs.control import Part, bound_args, rerun_graph
from rota.engine.identity.audit_log import Actor
from rota.engine.insight.reasons import Reason
from rota.engine.insight.why import why, why_of_node
from rota.engine.runs.cancel import cancel
from rota.engine.runs.find import attempts, find, tally
from rota.engine.runs.rerun import rerun
from rota.errors import ArtifactLost, RunFailed, RunNotFinished
from rota.handles.actor import whoami
from rota.handles.graph_runs import GraphRun
from rota.ids import new_id
from rota.model.artifact import is_pointer
from rota.model.log import LogLine
from rota.model.run import AttemptView, Ended, RunView
from rota.model.states import State
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.job import Job
    from rota.handles.backend import Backend

R = TypeVar("R")


class Run(GraphRun, Generic[R]):
    """One requested execution."""

    __slots__ = ("_app", "_job", "id")

    def __init__(self, app: App, run_id: str, job: Job[Any, R] | None = None) -> None:
        self.id = run_id
        self._app = app
        self._job = job

    def __repr__(self) -> str:
        return f"<Run {self.id}>"

    @property
    def backend(self) -> Backend:
        """Each operation is a transaction of the store."""
        return self._app.backend

    def show(self) -> RunView:
        """All that is known about the run right now."""
        view = self._app.store.read(lambda tx: find(tx, self.id, namespace=self._app.namespace))
        return self.filled(view)

    def filled(self, view: RunView) -> RunView:
        """The view with the values that are kept apart from it."""
        if not is_pointer(view.args) and not is_pointer(view.result):
            return view
        args, result = self._seen(view.args), self._seen(view.result)
        return msgspec.structs.replace(view, args=args or "", result=result)

    @property
    def state(self) -> State:
        """Where the run is in its life; asks the store."""
        namespace = self._app.namespace
        return self._app.store.read(lambda tx: find(tx, self.id, namespace=namespace)).state

    def attempts(self) -> list[AttemptView]:
        """The attempts that did not succeed, oldest first."""
        return self._app.store.read(lambda tx: attempts(tx, self.id, namespace=self._app.namespace))

    def tally(self) -> dict[str, int]:
        """How often it ended in an `error`, `timeout` or `crash`, or was `lost`; no zeros."""
        return self._app.store.read(lambda tx: tally(tx, self.id, namespace=self._app.namespace))

    def on_failure_run(self) -> Run[Any] | None:
        """The run that was submitted because this one failed; None if there is none."""
        namespace = self._app.namespace
        told = self._app.store.read(lambda tx: told_run(tx, find(tx, self.id, namespace=namespace)))
        return None if told is None else Run(self._app, told.id)

    def why(self, node: str | None = None) -> list[Reason]:
        """Why it is not running now, or a node of it, with numbers; most telling first."""
        namespace = self._app.namespace
        if node is not None:
            return self._app.store.read(
                lambda tx: why_of_node(tx, self.id, node, namespace=namespace)
            )
        return self._app.store.read(lambda tx: why(tx, self.id, namespace=namespace))

    def logs(self) -> list[LogLine]:
        """The lines that its handler printed and logged so far, of all attempts, in order."""
        return list(LogReader(self._app, self.id).read())

    def follow_logs(self) -> Iterator[LogLine]:
        """The same lines as they come; ends when the run has ended."""
        return LogReader(self._app, self.id).follow()

    def wait(self, timeout: str | float | None = None) -> Ended:
        """Wait for the end, whatever it is; RunNotFinished when it takes too long."""
        timeout_s = None if timeout is None else parse_duration(timeout) / 1000
        ended = self._app.waiter.wait(self.id, timeout_s)
        if ended is None:
            state = self.show().state
            raise RunNotFinished(f"run {self.id} is still {state} after {timeout_s:g} s")
        if is_pointer(ended.result):
            return msgspec.structs.replace(ended, result=self._seen(ended.result))
        return ended

    def result(self, timeout: str | float | None = None) -> R:
        """Wait for the result; RunFailed when the run ended without one."""
        ended = self.wait(timeout)
        if ended.state is not State.SUCCESS:
            said = f"{ended.error.type}: {ended.error.message}" if ended.error else ""
            reason = "; ".join(part for part in (ended.reason, said) if part)
            raise RunFailed(self.id, ended.state, reason or "no reason given")
        text = self._app.artifact_store.value(
            ended.result or "null", f"the result of run {self.id}"
        )
        job = self._job or self._app.everything.get(self.show().job)
        value: R = job.signature.load_result(text) if job else msgspec.json.decode(text)
        return value

    def _seen(self, text: str | None) -> str | None:
        """A value to look at; one that is lost, or whose store is away, stays a pointer."""
        if text is None or not is_pointer(text):
            return text
        try:
            return self._app.artifact_store.value(text, f"a value of run {self.id}")
        except (ArtifactLost, OSError):
            return text

    def cancel(self, reason: str = "cancelled", *, force: bool = False) -> State:
        """End a waiting run now, ask a running one to stop; returns the state reached.

        A run of a graph whose setups have succeeded runs its teardowns first and stays `suspended`
        meanwhile; `force` ends it without them.
        """
        by = Actor(act_id=new_id(), who=whoami())
        return self._app.store.write(
            lambda tx: cancel(
                tx, self.id, namespace=self._app.namespace, reason=reason, by=by, force=force
            )
        )

    def rerun_nodes(
        self,
        part: Part = "failed",
        node: str | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        why: str = "",
    ) -> Run[R]:
        """Of a graph that has ended: a new run, linked to it, that keeps what need not be redone.

        part: `failed` with all after it, `from` a node with all after it, `only` a node, `all`.
        """
        fresh = new_id()
        by = Actor(act_id=new_id(), who=whoami(), why=why)
        namespace = self._app.namespace

        def again(tx: Tx) -> str:
            args = None
            if params is not None:
                args = bound_args(tx, self.id, params, namespace=namespace)
            return rerun_graph(
                tx,
                self.id,
                namespace=namespace,
                new_id=fresh,
                by=by,
                part=part,
                node=node,
                args=args,
            )

        self._app.store.write(again)
        return Run(self._app, fresh, self._job)

    def rerun(self) -> Run[R]:
        """A new run with the same arguments, linked to this one; closes its dead letter."""
        fresh = new_id()
        by = Actor(act_id=new_id(), who=whoami())
        self._app.store.write(
            lambda tx: rerun(tx, self.id, namespace=self._app.namespace, new_id=fresh, by=by)
        )
        return Run(self._app, fresh, self._job)
