"""The handle of one run. It knows the id; everything else comes from its backend."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar

import msgspec

from rota.engine.graphs.control import Part
from rota.errors import BadGraph, RunFailed, RunNotFinished
from rota.handles.runs.graph_runs import GraphRunVerbs
from rota.handles.threads import Threads
from rota.model.logs.log import LogLine
from rota.model.runs.labels import Labels
from rota.model.runs.reason import Reason
from rota.model.runs.run import AttemptView, Ended, RunView
from rota.model.states import State
from rota.model.view import JsonText
from rota.operations.logs.logs import show_logs
from rota.operations.runs.labels import label_run
from rota.operations.runs.reruns import rerun_run
from rota.operations.runs.runs import cancel_run, explain_run, list_attempts
from rota.operations.runs.show import show_run
from rota.rules.text.duration import parse_duration

R = TypeVar("R")
LAST_WORDS_S = 1.0
"""How long to wait after the end for lines, which are stored beside the result, not with it."""


class RunHandle(GraphRunVerbs, Generic[R]):
    """One requested run."""

    __slots__ = ("id",)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"

    def _ipython_display_(self) -> None:
        """Show a bar in a notebook that follows the run; called by IPython."""
        from rota.handles.runs.notebook import show_in_notebook  # noqa: PLC0415  # few have notebooks

        show_in_notebook(self)

    @abstractmethod
    def _other(self, run_id: str) -> Self:
        """Return the handle of another run of the same job."""

    @abstractmethod
    def _wait(self, timeout_s: float | None) -> Ended | None:
        """Return how the run ended; None when the time is over."""

    @abstractmethod
    def _ending(self, timeout_s: float | None) -> Awaitable[Ended | None]:
        """Return how the run ended, as `_wait` does, without blocking the event loop."""

    @property
    @abstractmethod
    def _threads(self) -> Threads:
        """The threads for what must not block an event loop."""

    @abstractmethod
    def _load(self, text: str) -> R:
        """Return the result from its JSON text."""

    @abstractmethod
    def follow_logs(self) -> Iterator[LogLine]:
        """Yield the lines of `logs` as they come; stop when the run has ended."""

    def show(self) -> RunView:
        """Return all that is known about the run now."""
        view = self._backend.call(show_run, self.id)
        if view.result is None and view.state is State.SUCCESS:  # as JSON it is null
            return msgspec.structs.replace(view, result=JsonText("null"))
        return view

    @property
    def state(self) -> State:
        """The state of the run, read anew each time."""
        return self._backend.call(show_run, self.id).state

    def label(self, changes: Mapping[str, Any] | None = None, /, **labels: Any) -> Labels:
        """Set labels of the run in any state, and remove those that are None; return all."""
        return self._backend.call(label_run, self.id, labels={**(changes or {}), **labels}).labels

    def attempts(self) -> list[AttemptView]:
        """Return the attempts that did not succeed, oldest first."""
        return self._backend.call(list_attempts, self.id).items

    def tally(self) -> dict[str, int]:
        """Return how many attempts ended as `error`, `timeout`, `crash` or `lost`; no zeros."""
        return self._backend.call(show_run, self.id).tally

    def on_failure_run(self) -> Self | None:
        """Return the run that was submitted because this one failed; None if there is none."""
        view = self._backend.call(show_run, self.id).on_failure_run
        return None if view is None else self._other(view)

    def why(self, node: str | None = None) -> list[Reason]:
        """Return why the run, or a node of it, is not running, with numbers; most telling first."""
        return self._backend.call(explain_run, self.id, node=node).items

    def logs(self) -> list[LogLine]:
        """Return the lines that the handler printed or logged so far, of all attempts in order."""
        return list(self._new_lines()())

    def wait(self, timeout: str | float | None = None) -> Ended:
        """Wait for the end, of any kind; RunNotFinished when it takes longer than the timeout."""
        timeout_s = _seconds(timeout)
        return self._in_time(self._wait(timeout_s), timeout_s)

    async def wait_async(self, timeout: str | float | None = None) -> Ended:  # noqa: ASYNC109  # as in `wait`
        """Wait for the end as `wait` does, without blocking the event loop."""
        timeout_s = _seconds(timeout)
        ended = await self._ending(timeout_s)
        if ended is None:
            return await self._threads.call(self._in_time, ended, timeout_s)
        return ended

    def result(self, timeout: str | float | None = None) -> R:
        """Wait for the result; RunFailed when the run ended without one."""
        return self._result_of(self.wait(timeout))

    async def result_async(self, timeout: str | float | None = None) -> R:  # noqa: ASYNC109  # as in `result`
        """Wait for the result as `result` does, without blocking the event loop."""
        ended = await self.wait_async(timeout)
        return await self._threads.call(self._result_of, ended)

    def _in_time(self, ended: Ended | None, timeout_s: float | None) -> Ended:
        if ended is None:
            raise RunNotFinished(f"run {self.id} is still {self.state} after {timeout_s:g} s")
        return ended

    def _result_of(self, ended: Ended) -> R:
        if ended.state is not State.SUCCESS:
            error_text = f"{ended.error.type}: {ended.error.message}" if ended.error else ""
            reason = "; ".join(part for part in (ended.reason, error_text) if part)
            raise RunFailed(self.id, ended.state, reason or "no reason given")
        return self._load(ended.result or "null")

    def cancel(self, reason: str = "cancelled", *, force: bool = False) -> State:
        """End a waiting run now, ask a running one to stop; return the state reached.

        A run of a graph whose setups have succeeded runs its teardowns first and stays `suspended`
        meanwhile; `force` ends it without them.
        """
        return self._backend.call(cancel_run, self.id, reason=reason, force=force).status

    def rerun(self, *, args: Mapping[str, Any] | None = None, reason: str | None = None) -> Self:
        """Submit a new run linked to this one, with its arguments or others; close its dead letter.

        `args` are all of the arguments, by name.
        """
        fresh = self._backend.call(
            rerun_run, self.id, reason=reason, args=None if args is None else dict(args)
        )
        return self._other(fresh.run_id)

    def rerun_nodes(
        self,
        part: Part = "failed",
        node: str | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        why: str = "",
    ) -> Self:
        """Rerun part of a graph's run that has ended: the new run keeps what need not be redone.

        The new run is linked to this one. part: `failed` with all after it, `from` a node with all
        after it, `only` a node, `all`.
        """
        is_by_node = part in ("from", "only")
        if is_by_node and node is None:
            raise BadGraph("name the node to run again")
        fresh = self._backend.call(
            rerun_run,
            self.id,
            reason=why or None,
            args=None if params is None else dict(params),
            from_failed=part == "failed",
            from_node=node if is_by_node else None,
            downstream=part != "only",
            all_nodes=part == "all",
        )
        return self._other(fresh.run_id)

    def _new_lines(self) -> Callable[[], Iterator[LogLine]]:
        """Return a function that yields the lines that are new since its last call."""
        mark: str | None = None

        def read() -> Iterator[LogLine]:
            nonlocal mark
            while (page := self._backend.call(show_logs, self.id, after=mark)).items:
                mark = page.next
                yield from page.items

        return read


def _seconds(timeout: str | float | None) -> float | None:
    return None if timeout is None else parse_duration(timeout) / 1000
