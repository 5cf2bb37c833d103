"""Fits the arguments of a schedule to the code of its job, where an app has that code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.engine.jobs.definitions import current_specs
from rota.errors import UnknownJob
from rota.handles.schedules.schedules import Fit
from rota.model.schedules.definitions import Schedule
from rota.rules.jobs.stored_signature import fitting

if TYPE_CHECKING:
    from rota.app.app import App


def fit_of(app: App) -> Fit:
    """Return a function that records a job before its schedule, and checks the arguments."""

    def fit(schedule: Schedule, job: str, *, by_hand: bool = False) -> Schedule:
        found_job = app.jobs.get(job)
        if found_job is None:
            here = app.namespace
            if not app.store.read(lambda tx: current_specs(tx, [job], namespace=here)):
                raise UnknownJob(job, app.jobs)
            return schedule
        app.define((found_job,))
        return fitting(schedule, found_job.spec, found_job.signature, by_hand=by_hand)

    return fit
