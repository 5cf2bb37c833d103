"""Bundle: the definitions of one job file, checked and ready to be compared with the store."""

from __future__ import annotations

import msgspec

from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.rule import AlertRule
from rota.model.jobs.spec import JobSpec
from rota.model.schedules.definitions import Blackout, Calendar, Schedule


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of a file, with its schedules, calendars, maintenance windows and alerts."""

    name: str
    """The file that the jobs belong to, so that a job that leaves it can be removed."""
    jobs: dict[str, JobSpec] = {}
    schedules: dict[str, BundledSchedule] = {}
    calendars: dict[str, Calendar] = {}
    blackouts: dict[str, Blackout] = {}
    channels: dict[str, AlertChannel] = {}
    alert_rules: dict[str, AlertRule] = {}
    places: dict[str, str] = {}
    """The position of each job and node, such as `flow.yaml:12:9`, by `job` and `graph/node`."""


class BundledSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule and the job it starts."""

    job: str
    schedule: Schedule
