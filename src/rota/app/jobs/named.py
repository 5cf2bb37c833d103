"""Submits by the name of a job: one that the code of the app has, or one on record."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import msgspec

from rota.app.jobs.job import Job
from rota.app.run import Run
from rota.engine.identity.audit_log import new_act, record_all
from rota.engine.jobs.definitions import JobView, jobs
from rota.engine.jobs.weights import choices
from rota.engine.runs.submit import submit
from rota.errors import UnknownJob
from rota.handles.store_backend import StoreBackend
from rota.rules.jobs.stored_signature import recorded_signature
from rota.store.settled import settled_write

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.store.base import Tx


def recorded_job(app: App, view: JobView) -> Job[..., Any]:
    """Return a job as the store knows it: it checks names and plain types, the worker the rest."""
    job = Job[..., Any](app, view.spec, recorded_signature(view.spec), None)
    job.version = view.version
    return job


def named_job(app: App, name: str) -> Job[..., Any]:
    """Return the job of the app's code, else the one on record; UnknownJob if there is none.

    If the runs of a job on record are shared out between versions, return one of them.
    """
    if name in app.everything:
        return app.everything[name]

    def look(tx: Tx) -> Job[..., Any] | None:
        found = jobs(tx, namespace=app.namespace, name=name)
        if not found:
            return None
        choice = choices(tx, [name], namespace=app.namespace)
        version, spec = choice[name].at(random.random())
        view = msgspec.structs.replace(found[0], version=version, spec=spec)
        return recorded_job(app, view)

    job = app.store.read(look)
    if job is None:
        raise UnknownJob(name, [each.name for each in app.definitions.list()])
    return job


def submit_named(app: App, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Run[Any]:
    """Submit one run."""
    return named_job(app, name).submit(*args, **kwargs)


def submit_many_named(app: App, name: str, calls: Iterable[Any]) -> list[Run[Any]]:
    """Submit many runs, all or none."""
    return named_job(app, name).submit_many(calls)


def trigger_named(app: App, name: str, args: dict[str, Any]) -> Run[Any]:
    """Submit one run, with an entry in the audit."""
    new = named_job(app, name).draft((), args)
    actor = cast("StoreBackend", app.backend).caller().actor
    act = new_act(
        actor,
        namespace=app.namespace,
        verb="trigger job",
        subject=name,
        detail={"runs": 1, "first": new.id},
    )

    def start(tx: Tx, *, is_repeat: bool) -> None:
        submit(tx, [new], namespace=app.namespace, is_repeat=is_repeat)
        record_all(tx, [act])

    settled_write(lambda is_repeat: app.store.write(lambda tx: start(tx, is_repeat=is_repeat)))
    return app.run(new.id)
