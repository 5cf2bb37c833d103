"""Define functions, programs and requests as jobs of an app."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

import msgspec

from rota.app.jobs.job import AsyncJob, Job
from rota.app.workers.handler_resolver import reference
from rota.engine.jobs.definitions import check_told_jobs, introduce
from rota.engine.runs.find import now_ms
from rota.errors import BadOption
from rota.model.jobs.spec import CommandTarget, HttpTarget, JobSpec, PythonTarget, Target
from rota.rules.failures.on_failure import check_function, told_by
from rota.rules.jobs.options import JobOptions, job_options
from rota.rules.jobs.signature import Signature
from rota.rules.jobs.signature.words import Words
from rota.rules.jobs.target_kinds import target_kind
from rota.rules.security.programs import check_command
from rota.rules.text.template import placeholders
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.graphs.graph import TracedGraph

P = ParamSpec("P")
R = TypeVar("R")


class JobDecorator(Protocol):
    """The decorator that `@app.job(...)` returns; it keeps the types of what it decorates."""

    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> AsyncJob[P, R]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> Job[P, R]: ...


def python_job(
    app: App, function: Callable[P, R], name: str | None, options: Mapping[str, Any]
) -> Job[P, R]:
    """Return a function as a job; its annotations are its types."""
    checked = job_options(name or function.__name__, options)
    signature = Signature.of(function)
    target = PythonTarget(ref=reference(function), is_async=inspect.iscoroutinefunction(function))
    spec = _spec(checked, target, signature)
    kind = AsyncJob if target.is_async else Job
    handler = app.handler_of(function)
    return _add(app, kind(app, spec, signature, handler, checked.retry_function, checked.schedules))


def data_job(
    app: App, name: str, target: Target, texts: Iterable[str], options: Mapping[str, Any]
) -> Job[..., Any]:
    """Return a program or a request as a job; each `{name}` in its texts is a parameter."""
    checked = job_options(name, options)
    kind = Words if target_kind(target).takes_words else Signature
    signature = kind.of_names(name, placeholders(texts))
    spec = _spec(checked, target, signature)
    return _add(app, Job(app, spec, signature, None, checked.retry_function, checked.schedules))


def request_of(url: str, headers: Mapping[str, str], **facts: Any) -> HttpTarget:
    """Return the HTTP target of a request; credentials in its address become a header."""
    from rota.rules.security.egress import check_headers  # noqa: PLC0415  # most apps send no requests
    from rota.rules.security.web_address import apart  # noqa: PLC0415

    address, headers_sent = apart(url, headers)
    check_headers(headers_sent)
    return HttpTarget(url=address, headers=headers_sent, **facts)


def command_of(name: str, argv: Sequence[str], **facts: Any) -> CommandTarget:
    """Return the target of a program to run: a list, never a line for a shell."""
    if isinstance(argv, str) or not argv:
        raise BadOption(
            f"the command of job {name!r} is a list such as ['pg_dump', '{{database}}']; "
            "for a shell write ['sh', '-c', '...']"
        )
    if any("\0" in word for word in argv):
        raise BadOption(f"the command of job {name!r} holds a zero byte, which no program takes")
    check_command(argv, facts.get("env") or {})
    return CommandTarget(argv=tuple(argv), **facts)


def define_jobs(app: App, jobs: Iterable[Job[..., Any] | TracedGraph[..., Any]]) -> None:
    """Record definitions and learn their versions; costs a transaction for new ones only.

    An old definition becomes the current one again only when a worker starts.
    """
    every_job = [each if isinstance(each, Job) else each.job for each in jobs]
    fresh = [job for job in every_job if job.version is None]
    if any(job.is_graph for job in fresh):
        # A graph can begin only where its nodes are known.
        fresh = [job for job in app.everything.values() if job.version is None]
    fresh += [job for job in told_jobs(app, fresh) if job.version is None and job not in fresh]
    if not fresh:
        return

    def record(tx: Tx) -> list[int]:
        check_told_jobs(tx, {job.name: job.spec for job in fresh}, namespace=app.namespace)
        since = now_ms(tx)
        return [
            introduce(tx, job.spec, namespace=app.namespace, app=app.name, since=since)
            for job in fresh
        ]

    versions = app.store.write(record)
    for job, number in zip(fresh, versions, strict=True):
        job.version = number


def told_jobs(app: App, jobs: Iterable[Job[..., Any]]) -> list[Job[..., Any]]:
    """Return the jobs that these name in `on_failure`, and those that these name in turn.

    BadOption if one of them does not take the arguments that it is called with.
    """
    handlers: dict[str, Job[..., Any]] = {}
    waiting = list(jobs)
    while waiting:
        job = waiting.pop()
        name = told_by(job.spec)
        if name is None or name not in app.everything:
            continue
        handler = app.everything[name]
        check_function(job.name, name, handler.signature.bind, handler.spec)
        if name not in handlers:
            handlers[name] = handler
            waiting.append(handler)
    return list(handlers.values())


def _spec(checked: JobOptions, target: Target, signature: Signature) -> JobSpec:
    if checked.cache is not None and checked.cache.key is not None:
        from rota.rules.jobs.cache_options import parse_cache  # noqa: PLC0415  # as with options

        parse_cache(checked.cache, signature.parameters)
    # A job without parameters keeps the definition, and so the version, that it had.
    takes_some = bool(signature.parameters) or signature.takes_more
    is_function = isinstance(target, PythonTarget) and takes_some
    return JobSpec(
        target=target,
        parameters=signature.parameters,
        defaults=signature.defaults if is_function else msgspec.UNSET,
        schemas=(is_function and signature.schemas) or msgspec.UNSET,
        more=msgspec.UNSET if signature.more is None else signature.more,
        **checked.spec_fields(),
    )


def _add(app: App, job: Job[P, R]) -> Job[P, R]:
    existing = app.jobs.get(job.name)
    is_other = existing is not None and existing.spec.target != job.spec.target
    if is_other or job.name in app.graphs:
        raise BadOption(f"a job named {job.name!r} is defined already; give one of them name=")
    app.jobs[job.name] = job
    return job
