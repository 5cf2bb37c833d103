"""Declare: what the code of an app says becomes what the store holds, when a worker starts.

An app that has a name also takes away what its code no longer says; never what others declared.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rota.app.who import whoami
from rota.engine.acts import By, record
from rota.engine.jobs import declared_jobs, remove
from rota.engine.schedule_views import declared
from rota.errors import BadOption, UnknownSchedule
from rota.ids import new_id
from rota.model.schedule import Schedule
from rota.rules.schedule_options import named
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.job import Job


def declare(app: App, jobs: Collection[Job[..., Any]]) -> None:
    """Make the store's schedules those of the code, for these jobs and for all the app had."""
    wanted = _wanted(jobs)
    known = {job.name for job in jobs}
    there = app.store.read(lambda tx: declared(tx, known, namespace=app.namespace, app=app.name))
    for name, (job, schedule) in wanted.items():
        app.schedules.put_declared(name, schedule, job)
    for gone in there:
        if gone not in wanted:
            with suppress(UnknownSchedule):  # another worker that starts was faster
                app.schedules.remove(gone)
    if app.name is not None:
        app.store.write(lambda tx: _forget_jobs(tx, app, known))


def _wanted(jobs: Collection[Job[..., Any]]) -> dict[str, tuple[str, Schedule]]:
    found: dict[str, tuple[str, Schedule]] = {}
    for job in jobs:
        for name, schedule in named(job.name, job.schedules):
            if name in found:
                other = found[name][0]
                raise BadOption(
                    f"jobs {other!r} and {job.name!r} have a schedule named {name!r}; "
                    "give one of them another name"
                )
            found[name] = job.name, schedule
    return found


def _forget_jobs(tx: Tx, app: App, known: Collection[str]) -> None:
    for job in declared_jobs(tx, namespace=app.namespace, app=app.name or ""):
        if job not in known and remove(tx, job, namespace=app.namespace):
            by = By(act_id=new_id(), who=whoami())
            told = {"app": app.name}
            record(tx, by, namespace=app.namespace, verb="remove job", subject=job, detail=told)
