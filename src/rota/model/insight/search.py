"""Search results in brief: runs, jobs, schedules and lines."""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.jobs.job import JobKind
from rota.model.schedules.schedule import ScheduleState
from rota.model.states import State
from rota.model.view import View


class RunFound(View, frozen=True):
    """A run; its page has the rest."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    status: State
    queue: str
    key: str | None
    created_at: Moment
    finished_at: Moment | None


class JobFound(View, frozen=True):
    """A job."""

    job: str = msgspec.field(name="jobId")
    kind: JobKind
    queue: str
    version: int


class ScheduleFound(View, frozen=True):
    """A schedule, and what it starts."""

    name: str
    job: str
    state: ScheduleState


class LineFound(View, frozen=True):
    """A line that holds all words of the text."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    at: Moment
    level: str
    text: str


class SearchResults(View, frozen=True):
    """The matches of a text, the best first."""

    runs: list[RunFound]
    jobs: list[JobFound]
    schedules: list[ScheduleFound]
    logs: list[LineFound]
