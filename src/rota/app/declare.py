"""Declarations: what the code of an app declares is recorded in the store when a worker starts."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from rota.engine.jobs.declare import Declarer, DeclareResult
from rota.errors import BadOption
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.jobs.bundle import BundledSchedule
from rota.model.jobs.release import Declaration
from rota.operations.jobs.declare import declare as record
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.jobs.stored_signature import fitting
from rota.rules.schedules.options import named
from rota.store.open import file_of

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.jobs.job import Job

_log = logging.getLogger("rota")


def declare(app: App, jobs: Collection[Job[..., Any]], *, decides: bool = False) -> DeclareResult:
    """Record all of it or nothing; code older than the last changes nothing, and a warning says so.

    It does change the record if a person `decides` and the store is a file that nobody shares: then
    going back to older code is meant.
    """
    declaration = Declaration(
        app=app.name,
        label=app.release,
        jobs={job.name: job.spec for job in jobs},
        schedules=_schedules_of(jobs),
    )
    hand = hand_of(app, decides=decides and file_of(app.url) is not None)
    result = app.store.write(lambda tx: record(tx, declaration, hand))
    for job in jobs:
        job.version = result.versions[job.name]
    if result.newer is not None:
        _log.warning(_warning(declaration, result))
    return result


def hand_of(app: App, who: str | None = None, *, decides: bool = False) -> Declarer:
    """Return the declarer that changes of definitions need."""
    return Declarer(
        namespace=app.namespace,
        who=who or whoami(),
        compiled=compiled_schedules(),
        new_id=new_id,
        decides=decides,
    )


def _warning(declaration: Declaration, result: DeclareResult) -> str:
    newer = result.newer
    assert newer is not None  # noqa: S101  # who asks has looked
    name = declaration.app or "this app"
    label = "" if newer.label is None else f" ({newer.label})"
    return (
        f"the code of {name} is release {result.number}, older than release "
        f"{newer.number}{label} of {newer.used_at.text()}: it changes no job and no schedule, "
        f"and works on. Went back on purpose? `rota releases use {result.number}`, or start it "
        "with another ROTA_RELEASE"
    )


def _schedules_of(jobs: Collection[Job[..., Any]]) -> dict[str, BundledSchedule]:
    schedules: dict[str, BundledSchedule] = {}
    for job in jobs:
        for name, schedule in named(job.name, job.schedules):
            if name in schedules:
                other = schedules[name].job
                raise BadOption(
                    f"jobs {other!r} and {job.name!r} have a schedule named {name!r}; "
                    "give one of them another name"
                )
            checked = fitting(schedule, job.spec, job.signature)
            schedules[name] = BundledSchedule(job=job.name, schedule=checked)
    return schedules
