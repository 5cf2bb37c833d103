"""Resolves a lease to the work of a worker: the spec its run is pinned to, and the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from rota.engine.jobs.definitions import CODE, PinnedVersion, pinned_to
from rota.errors import AppNotFound, UnknownJob
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.runs.run import Lease
from rota.rules.jobs.accepted_arguments import takes_of
from rota.rules.jobs.signature import Signature
from rota.rules.jobs.target_kinds import parameter_names, target_kind
from rota.runtime.attempts.attempt import ResolvedJob
from rota.runtime.executors.process.lookup import find_function
from rota.scripts import module_name, script_path

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.jobs.job import Job


def reference(function: Callable[..., Any]) -> str:
    """Return `module:name`, even if the module was run as a script."""
    return f"{module_name(function.__module__)}:{function.__qualname__}"


class HandlerResolver:
    """Resolves each (job, version) once, then remembers it.

    `stored` says whether the worker may carry out definitions that no code has brought.
    """

    def __init__(
        self,
        app: App,
        *,
        stored: bool,
        find_pinned: Callable[[Lease], PinnedVersion | None] | None = None,
    ) -> None:
        self._app = app
        self._stored = stored
        self._find_pinned = find_pinned or self._look_up
        self._known: dict[tuple[str, int], ResolvedJob] = {}

    def find(self, lease: Lease) -> ResolvedJob:
        at = lease.job, lease.version
        work = self._known.get(at)
        if work is None:
            work = self._make(lease)
            if not isinstance(work.handler, _Refusal):  # next time it may be there
                self._known[at] = work
        return work

    def _make(self, lease: Lease) -> ResolvedJob:
        job = self._app.jobs.get(lease.job)
        if job is not None and job.version == lease.version:
            return _work(job, job.spec)
        pinned = self._find_pinned(lease)
        if job is None:
            is_ours = lease.job in self._app.graphs
            make = self._instead_of_graph if is_ours else _stored_work
            return make(lease, pinned)
        return _work(job, job.spec) if pinned is None else self._pinned_work(lease, job, pinned)

    def _pinned_work(self, lease: Lease, job: Job[..., Any], pinned: PinnedVersion) -> ResolvedJob:
        """Return the work for a run of another version than that of our code."""
        if not self._stored and _is_foreign(job, pinned):
            return _refusal(pinned.spec)
        # A breaker guards the job as it is now, with all older runs that still wait.
        work = _work(job, msgspec.structs.replace(pinned.spec, breaker=job.spec.breaker))
        work = msgspec.structs.replace(work, defaults=_declared(pinned))
        if takes_of(pinned.spec) in (None, takes_of(job.spec)):
            return work
        return msgspec.structs.replace(work, mismatch=_mismatch(lease, pinned.spec, job))

    def _instead_of_graph(self, lease: Lease, pinned: PinnedVersion | None) -> ResolvedJob:
        """Return the work of a version that is no graph, for a job that is a graph in our code."""
        if pinned is None or isinstance(pinned.spec.target, GraphTarget):
            raise UnknownJob(lease.job)
        if isinstance(pinned.spec.target, PythonTarget):
            graph = self._app.graphs[lease.job].job
            spec = msgspec.structs.replace(pinned.spec, isolation="thread")
            return ResolvedJob(spec=spec, mismatch=_mismatch(lease, spec, graph))
        if not self._stored and pinned.origin != CODE:
            return _refusal(pinned.spec)
        return _stored_work(lease, pinned)

    def _look_up(self, lease: Lease) -> PinnedVersion | None:
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: pinned_to(tx, lease.job, lease.version, namespace=namespace)
        )


def _is_foreign(job: Job[..., Any], pinned: PinnedVersion) -> bool:
    """Whether a file has put a program or a request in the place of a job of our code."""
    target = pinned.spec.target
    return target_kind(target).is_template and pinned.origin != CODE and target != job.spec.target


def _mismatch(lease: Lease, spec: JobSpec, job: Job[..., Any]) -> str:
    """Return a sentence with the version that the run is for and the version that we have."""
    ours = "other code" if job.version is None else f"version {job.version}"
    theirs, kind = target_kind(spec.target).noun, target_kind(job.spec.target).noun
    differ = f", {theirs}," if theirs != kind else ""
    as_what = f", where it is {kind}" if theirs != kind else ""
    return (
        f"the run was made for version {lease.version} of job {lease.job}{differ} and this worker "
        f"has {ours}{as_what}; it needs a worker with code of that version"
    )


def _refusal(spec: JobSpec) -> ResolvedJob:
    """Return work that fails with the reason; a retry may find a worker that may run it."""
    says = (
        f"job {spec.name!r} was taken over by a job file, and this worker carries out only what "
        "its own code defines; start one with --stored"
    )
    return _failing(spec, _Refusal(says), ref="rota:refusal")


def _work(job: Job[..., Any], spec: JobSpec) -> ResolvedJob:
    """Return work with policies and data targets of the pinned version, and with our function."""
    target, function, retry_function = spec.target, job.handler, job.retry_function
    if target_kind(target).is_template:
        signature = Signature.of_names(spec.name, parameter_names(target))
        return ResolvedJob(spec=spec, signature=signature, retry_function=retry_function)
    if not isinstance(target, PythonTarget) or function is None:
        return ResolvedJob(spec=spec, retry_function=retry_function)
    return ResolvedJob(
        spec=msgspec.structs.replace(spec, target=_importable(function, target)),
        handler=function,
        signature=job.signature,
        retry_function=retry_function,
    )


def _stored_work(lease: Lease, pinned: PinnedVersion | None) -> ResolvedJob:
    """Return the work of a job that only the store defines.

    A function is imported here; if that fails, so does the run.
    """
    if pinned is None:
        raise UnknownJob(lease.job)
    spec = pinned.spec
    if isinstance(spec.target, GraphTarget):
        raise UnknownJob(lease.job)
    if not isinstance(spec.target, PythonTarget):
        names = parameter_names(spec.target)
        return ResolvedJob(spec=spec, signature=Signature.of_names(spec.name, names))
    function: Callable[..., Any]
    try:
        function = find_function(spec.target.ref)
        signature = Signature.of(function)
    except Exception as error:  # noqa: BLE001  # a user's module may raise anything
        ref, why = spec.target.ref, f"{type(error).__name__}: {error}"
        refusal = _Refusal(f"{ref} cannot be imported by this worker: {why}")
        return _failing(spec, refusal, ref=ref)
    is_async = inspect.iscoroutinefunction(function)
    target = PythonTarget(ref=spec.target.ref, is_async=is_async)
    local = msgspec.structs.replace(spec, target=target)
    declared = _declared(pinned)
    return ResolvedJob(spec=local, handler=function, signature=signature, defaults=declared)


def _declared(pinned: PinnedVersion) -> dict[str, Any]:
    """Return defaults that no code has brought; null leaves the value to the function."""
    defaults = pinned.spec.defaults
    if pinned.origin == CODE or isinstance(defaults, msgspec.UnsetType):
        return {}
    return {name: value for name, value in defaults.items() if value is not None}


def _failing(spec: JobSpec, refusal: _Refusal, *, ref: str) -> ResolvedJob:
    local = msgspec.structs.replace(spec, target=PythonTarget(ref=ref), isolation="thread")
    return ResolvedJob(spec=local, handler=refusal, signature=Signature.of(refusal))


class _Refusal:
    """A handler that fails its run: if it were given back, it would return at once, for ever."""

    __name__ = "refusal"

    def __init__(self, says: str) -> None:
        self._says = says

    def __call__(self, **given: Any) -> None:  # noqa: ARG002  # whatever the run has
        raise AppNotFound(self._says)


def _importable(function: Callable[..., Any], target: PythonTarget) -> PythonTarget:
    """Return a reference that a child process can import: a script is named by its path."""
    path = script_path()
    if function.__module__ != "__main__" or path is None:
        return target
    return PythonTarget(ref=f"{path}:{function.__qualname__}", is_async=target.is_async)
