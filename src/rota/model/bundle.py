"""Bundle: what one job file defines, checked and ready to be compared with the store."""

from __future__ import annotations

import msgspec

from rota.model.schedule import Blackout, Calendar, Schedule
from rota.model.spec import JobSpec


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of a file and everything that stands beside them."""

    name: str
    """Which file the jobs belong to, so that one that leaves it can be removed."""
    jobs: dict[str, JobSpec] = {}
    schedules: dict[str, BundledSchedule] = {}
    calendars: dict[str, Calendar] = {}
    blackouts: dict[str, Blackout] = {}
    places: dict[str, str] = {}
    """Where each job and node stands, such as `flow.yaml:12:9`, by `job` and `graph/node`."""


class BundledSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule and the job it starts."""

    job: str
    schedule: Schedule
