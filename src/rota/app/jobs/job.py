"""Job: a definition that a program can submit, or call as a plain function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from rota.app.graphs.needs import needed_by
from rota.app.graphs.node import UsableAsNode
from rota.app.graphs.plain import current_call
from rota.app.graphs.trace import current_trace
from rota.app.jobs.new_runs import new_run
from rota.app.run import Run
from rota.app.within import Within
from rota.errors import NotAllowed
from rota.handles.jobs.job import JobHandle, arguments_of
from rota.model.jobs.spec import GraphTarget, JobSpec, retry_of
from rota.model.runs.run import NewRun
from rota.model.schedules.definitions import Schedule
from rota.rules.failures.retry_options import RetryFunction
from rota.rules.jobs.options import UNCHANGED, SubmitOptions, submit_options
from rota.rules.jobs.signature import Signature

if TYPE_CHECKING:
    from rota.app.app import App

P = ParamSpec("P")
R = TypeVar("R")

Define = Callable[[JobSpec], int]
"""Records a definition and returns its version."""


class Job(UsableAsNode[P, R], JobHandle["Submission[P, R]"]):
    """A named piece of work of one app."""

    target = "job"

    def __init__(
        self,
        app: App,
        spec: JobSpec,
        signature: Signature,
        handler: Callable[P, R] | None,
        retry_function: RetryFunction | None = None,
        schedules: tuple[Schedule, ...] = (),
    ) -> None:
        self.app = app
        self.spec = spec
        self.signature = signature
        self.handler = handler
        self.retry_function = retry_function
        self.schedules = schedules
        self.version: int | None = None
        if handler is not None:
            functools.update_wrapper(self, handler)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def is_graph(self) -> bool:
        return isinstance(self.spec.target, GraphTarget)

    @property
    def parameters(self) -> dict[str, str]:
        """The annotation of each parameter, by name and in order."""
        return self.spec.parameters

    @property
    def more(self) -> str | None:
        """The annotation of arguments with other names; None if the job accepts none."""
        return self.spec.more if isinstance(self.spec.more, str) else None

    def __repr__(self) -> str:
        return f"<Job {self.name}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function here and now; nothing is recorded.

        While a graph is being defined, the call makes a node instead; while a graph is called
        plainly, it calls the next node of that graph.
        """
        if current_trace() is not None or current_call() is not None:
            return self.node()(*args, **kwargs)
        return self.plainly(*args, **kwargs)

    def plainly(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function, even inside a graph."""
        if self.handler is None:
            raise NotAllowed(f"job {self.name!r} is not a Python function; submit it")
        return self.handler(*args, **kwargs)

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Ask for one execution; when this returns, it is recorded on disk."""
        return self._submit(UNCHANGED, args, kwargs)

    async def submit_async(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Submit as `submit` does, without blocking the event loop.

        Submits of the same moment, from any number of coroutines, share a commit.
        """
        return await self._submit_async(UNCHANGED, args, kwargs)

    def within(self, connection: Any) -> Within[P, R]:
        """Submit in a transaction of yours: the runs exist if and only if you commit it.

        The connection is of psycopg, psycopg2, asyncpg, sqlite3 or Django, or a Connection or
        Session of SQLAlchemy, on the database of this app. On one of an event loop await
        `submit_async`.
        """
        return Within(self, UNCHANGED, connection)

    def submit_many(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Ask for many runs at once, all or none.

        Each item is a tuple of positional arguments, a mapping of keyword arguments or, if it is
        anything else, the single argument.
        """
        return self._submit_many(UNCHANGED, calls)

    async def submit_many_async(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Submit many as `submit_many` does, without blocking the event loop."""
        return await self._submit_many_async(UNCHANGED, calls)

    def with_options(self, **options: Any) -> Submission[P, R]:
        """Change policies for the submits that are made through the result.

        Options: priority, queue, timeout, expires, key, key_window, delay, at, cache=False, and all
        of retries.
        """
        return Submission(self, submit_options(options, retry=retry_of(self.spec)))

    def _submit(
        self, options: SubmitOptions, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Run[R]:
        new = self.new_run(options, self.signature.bind(args, kwargs))
        answer = self.app.submit_runs((new,))[0]
        return Run(self.app, answer.id, self)

    def _submit_many(self, options: SubmitOptions, calls: Iterable[Any]) -> list[Run[R]]:
        new = [self.new_run(options, self.bind(call)) for call in calls]
        return [Run(self.app, answer.id, self) for answer in self.app.submit_runs(new)]

    async def _submit_async(
        self, options: SubmitOptions, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Run[R]:
        bound = self.signature.bind(args, kwargs)
        return (await self._record_async(options, [bound]))[0]

    async def _submit_many_async(
        self, options: SubmitOptions, calls: Iterable[Any]
    ) -> list[Run[R]]:
        return await self._record_async(options, [self.bind(call) for call in calls])

    async def _record_async(self, options: SubmitOptions, bound: Sequence[str]) -> list[Run[R]]:
        if self.version is None and bound:
            await self.app.threads.call(self.app.define, (self,))
        new = [self.new_run(options, args) for args in bound]
        return [Run(self.app, it.id, self) for it in await self.app.submit_runs_async(new)]

    def draft(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], define: Define | None = None
    ) -> NewRun:
        """Return the run that a submit of these arguments asks for."""
        return self.new_run(UNCHANGED, self.signature.bind(args, kwargs), define)

    def bind(self, call: Any) -> str:
        """Return the arguments, in any form that submit_many takes, as JSON text."""
        return self.signature.bind(*arguments_of(call))

    def new_run(self, options: SubmitOptions, args: str, define: Define | None = None) -> NewRun:
        """Return a request with a fresh id; `define` records a definition that is not known yet.

        Inside a transaction `define` must use that transaction: another might wait for it for ever.
        """
        spec = self.spec
        version = self.version
        if version is None and define is not None:
            for each in needed_by(self, self.app.everything) if self.is_graph else ():
                if each.version is None:
                    define(each.spec)
            version = define(spec)
        elif version is None:
            self.app.define((self,))
            version = self.version
        return new_run(spec, version or 0, args, options)


class AsyncJob(Job[P, R]):
    """A job whose function is `async def`: a plain call returns a coroutine, a run its value."""

    def __call__(  # type: ignore[override]  # the one thing that differs, on purpose
        self, *args: P.args, **kwargs: P.kwargs
    ) -> Coroutine[Any, Any, R]:
        """Call the function here; await the result."""
        coroutine: Any = super().__call__(*args, **kwargs)
        return cast("Coroutine[Any, Any, R]", coroutine)


class Submission(Generic[P, R]):
    """A job with other policies, ready to be submitted any number of times."""

    def __init__(self, job: Job[P, R], options: SubmitOptions) -> None:
        self._job = job
        self._options = options

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Submit with these options; see `Job.submit`."""
        return self._job._submit(self._options, args, kwargs)  # noqa: SLF001  # the other half of Job

    def submit_many(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Submit many with these options; see `Job.submit_many`."""
        return self._job._submit_many(self._options, calls)  # noqa: SLF001

    async def submit_async(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Submit with these options; see `Job.submit_async`."""
        return await self._job._submit_async(self._options, args, kwargs)  # noqa: SLF001

    async def submit_many_async(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Submit many with these options; see `Job.submit_many_async`."""
        return await self._job._submit_many_async(self._options, calls)  # noqa: SLF001

    def within(self, connection: Any) -> Within[P, R]:
        """Submit in your transaction with these options; see `Job.within`."""
        return Within(self._job, self._options, connection)

    def draft(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], define: Define | None = None
    ) -> NewRun:
        """Return the run with these options; see `Job.draft`."""
        return self._job.new_run(self._options, self._job.signature.bind(args, kwargs), define)
