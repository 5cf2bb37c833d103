"""App: the composition root. Holds the jobs, opens the store, starts workers.

Only this module puts store, engine and runtime together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, overload

import msgspec

from rota.app.end_watch import EndWatch
from rota.app.graphs.graph import TracedGraph, add_graph
from rota.app.jobs.by_name import JobsByName
from rota.app.jobs.definitions import (
    JobDecorator,
    command_of,
    data_job,
    define_jobs,
    python_job,
    request_of,
)
from rota.app.jobs.job import AsyncJob, Job
from rota.app.jobs.submits import Submits
from rota.app.nouns import Nouns
from rota.app.run import Run
from rota.app.waiter import Waiter
from rota.app.workers.options import with_settings
from rota.app.workers.scope import worker_scope
from rota.errors import UnknownJob
from rota.handles.runs.ids import find_run_id
from rota.handles.threads import Threads
from rota.model.runs.run import NewRun, Submitted
from rota.rules.text.names import check_name, check_release
from rota.runtime.options import WorkerOptions
from rota.runtime.store_source import StoreSource
from rota.runtime.values.artifacts import ArtifactStore
from rota.runtime.values.backends import open_artifacts
from rota.runtime.worker import Worker
from rota.settings.read import read_settings
from rota.store.access.rights import WORKER
from rota.store.base import Store
from rota.store.open import dialect_of, file_of, open_store
from rota.version import version

P = ParamSpec("P")
R = TypeVar("R")

DEFAULT_URL = "sqlite:///rota.db"
THREADS = 8
"""Threads for callers on event loops: submits share commits, so that more would not help."""


class App(JobsByName, Nouns):
    """Jobs and the store they live in.

    Without `url` the store is that of ROTA_URL or rota.toml, else sqlite:///rota.db here. An app
    with a `name` removes from the record the jobs and schedules that its code no longer declares.
    If newer code has since declared something else, older code that starts again changes nothing,
    unless it has a `release` (or ROTA_RELEASE) that is new. Nothing is opened before it is needed:
    importing a module that holds an App is free.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        name: str | None = None,
        namespace: str | None = None,
        release: str | None = None,
        upgrade: bool = True,
    ) -> None:
        settings = read_settings({}, env=os.environ, folder=Path.cwd())
        self.url = url or settings.url or DEFAULT_URL
        dialect_of(self.url)
        self.namespace = check_name("namespace", namespace or settings.namespace or "default")
        self.name = None if name is None else check_name("app", name)
        self.release = settings.release if release is None else check_release(release)
        self.upgrade = upgrade
        self.jobs: dict[str, Job[Any, Any]] = {}
        self.graphs: dict[str, TracedGraph[Any, Any]] = {}
        self._store: Store | None = None
        self._opening = Lock()
        self._submits = Submits(self)
        self.waiter = Waiter(self)
        self.end_watch = EndWatch(self)
        self.threads = Threads("rota-app", THREADS)
        self._settings = settings

    @overload
    def job(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> AsyncJob[P, R]: ...

    @overload
    def job(self, function: Callable[P, R], /) -> Job[P, R]: ...

    @overload
    def job(
        self, function: None = None, /, *, name: str | None = None, **options: Any
    ) -> JobDecorator: ...

    def job(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        **options: Any,
    ) -> Any:
        """Make a function a job; it can still be called as a plain function."""
        if function is not None:
            return python_job(self, function, name, options)
        return lambda function: python_job(self, function, name, options)

    @overload
    def graph(self, function: Callable[P, R], /) -> TracedGraph[P, R]: ...

    @overload
    def graph(
        self, function: None = None, /, *, name: str | None = None, **options: Any
    ) -> Callable[[Callable[P, R]], TracedGraph[P, R]]: ...

    def graph(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        **options: Any,
    ) -> Any:
        """Make a function a graph: the jobs it calls are its nodes.

        Options: mode, timeout, retries, max_nodes, max_runs, depends_on_past, description; queue,
        priority, dependencies, on_failure, deadline, schedule and its policies, as for any job.
        """
        if function is not None:
            return add_graph(self, function, name, options)
        return lambda function: add_graph(self, function, name, options)

    def command(
        self,
        name: str,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        ok_codes: Sequence[int] = (0,),
        retry_codes: Sequence[int] | None = None,
        **options: Any,
    ) -> Job[..., Any]:
        """Make a program a job. No shell is involved: each `{name}` in an item is one argument."""
        codes = None if retry_codes is None else tuple(retry_codes)
        target = command_of(
            name, argv, env=dict(env or {}), cwd=cwd, ok_codes=tuple(ok_codes), retry_codes=codes
        )
        return data_job(self, name, target, (*argv, *target.env.values()), options)

    def http(  # noqa: PLR0913  # the fields of a request, all named
        self,
        name: str,
        url: str,
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
        expect: Sequence[int] = (),
        allow_private: bool = False,
        **options: Any,
    ) -> Job[..., Any]:
        """Make an HTTP request a job; private addresses are refused unless allowed."""
        target = request_of(
            url,
            headers or {},
            method=method.upper(),
            body=body,
            expect=tuple(expect),
            allow_private=allow_private,
        )
        texts = (target.url, *target.headers.values(), *((body,) if body else ()))
        return data_job(self, name, target, texts, options)

    @cached_property
    def artifact_store(self) -> ArtifactStore:
        """The store of values that are too large for the rows of runs, found by their pointers."""
        artifacts = open_artifacts(self._settings.artifacts, beside=file_of(self.url))
        return ArtifactStore(lambda: self.store, artifacts)

    def find_job(self, name: str) -> Job[..., Any]:
        """Return the job or graph of that name; UnknownJob, with a suggestion, if there is none."""
        if name in self.graphs:
            return self.graphs[name].job
        try:
            return self.jobs[name]
        except KeyError:
            raise UnknownJob(name, [*self.jobs, *self.graphs], lists=True) from None

    @property
    def everything(self) -> dict[str, Job[Any, Any]]:
        """All jobs by name, including graphs."""
        return {**self.jobs, **{name: graph.job for name, graph in self.graphs.items()}}

    def run(self, run_id: str) -> Run[Any]:
        """Return a handle for a run of any job, by its id."""
        return Run(self, run_id)

    def find_run(self, part: str) -> Run[Any]:
        """Return the run whose id begins or ends with the part; BadInput if there are several."""
        return self.run(find_run_id(self.backend, part))

    @property
    def store(self) -> Store:
        """The store, opened at first use; an old schema is upgraded, or refused if so asked."""
        if self._store is None:
            with self._opening:
                if self._store is None:
                    self._store = open_store(self.url, upgrade=self.upgrade)
        return self._store

    def submit_runs(self, runs: Sequence[NewRun]) -> list[Submitted]:
        """Record runs, all or none; returns when they are on disk.

        Submits from several threads at the same moment share a commit.
        """
        return self._submits.record(runs)

    async def submit_runs_async(self, runs: Sequence[NewRun]) -> list[Submitted]:
        """Record runs as `submit_runs` does, without blocking the event loop."""
        return await self._submits.record_async(runs)

    def handler_of(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return what is called for a function of a job; a framework may put something around."""
        return function

    def define(self, jobs: Iterable[Job[..., Any] | TracedGraph[..., Any]]) -> None:
        """Record definitions and learn their versions; costs a transaction for new ones only."""
        define_jobs(self, jobs)

    def worker(self, options: WorkerOptions | None = None, **settings: Any) -> Worker:
        """Return a worker for this app's jobs; `start()` it, `stop()` it."""
        options = options or WorkerOptions(**settings)
        options = with_settings(options, self._settings)
        if self.store.login == WORKER:  # who may not do what is for all
            options = msgspec.structs.replace(options, chores=False)
        source = StoreSource(
            self.store,
            worker_scope(self, options),
            options=options,
            version=version(),
            artifacts=self.artifact_store.artifacts,
        )
        return Worker(source, options)

    def close(self) -> None:
        """Close the store; using the app again opens it again."""
        self.threads.close()
        self.end_watch.close()
        with self._opening:
            if self._store is not None:
                self._store.close()
                self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
