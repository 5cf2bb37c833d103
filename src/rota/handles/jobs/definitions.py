"""Handles for the jobs on record, from code, files or clients."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.graphs.definition import GraphItem
from rota.model.insight.statistics import JobStatistics
from rota.model.jobs.job import JobDetail, JobEntry, JobMade
from rota.model.jobs.version import VersionDiff, VersionView
from rota.operations.graphs.graphs import list_graphs
from rota.operations.insight.statistics import show_job_statistics
from rota.operations.jobs.definitions import remove_job
from rota.operations.jobs.jobs import list_jobs, pause_job, resume_job, show_job
from rota.operations.jobs.versions import (
    compare_versions,
    list_versions,
    roll_back_job,
    weigh_versions,
)
from rota.rules.runs.labels import condition_texts


class Definitions:
    """The definitions of a namespace; get it as `app.definitions` or `client.definitions`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(
        self, *, labels: Mapping[str, Any] | Sequence[str] | None = None
    ) -> builtins.list[JobEntry]:
        """Return all jobs on record by name, in their current version, or those with these labels.

        `app.definitions.list(labels={"team": "billing"})`; a text such as `tier>1` is a condition.
        """
        wanted = condition_texts(labels) or None
        return all_items(self._backend, list_jobs, spec=True, label=wanted)

    def graphs(self) -> builtins.list[GraphItem]:
        """Return all graphs on record by name, in their current version."""
        return all_items(self._backend, list_graphs)

    def show(self, name: str) -> JobDetail:
        """Return a job as it is defined now, and how its newest run does."""
        return self._backend.call(show_job, name)

    def statistics(self, name: str, *, window: str = "24h") -> JobStatistics:
        """Return how the runs of a job ended in the window, and how long they took."""
        return self._backend.call(show_job_statistics, name, window=window)

    def pause(self, name: str, *, note: str | None = None, who: str | None = None) -> None:
        """Hold back all runs of a job until it is resumed; what runs goes on."""
        self._backend.acting_as(who).call(pause_job, name, note=note)

    def resume(self, name: str, *, who: str | None = None) -> None:
        """Start runs of a paused job again, in the old order."""
        self._backend.acting_as(who).call(resume_job, name)

    def remove(self, name: str, *, who: str | None = None) -> None:
        """Take a job off the record, with its schedules; one of code or a file is refused."""
        self._backend.acting_as(who).call(remove_job, name)

    def versions(self, name: str, *, limit: int = 50) -> builtins.list[VersionView]:
        """Return the versions of a job, the newest first."""
        return self._backend.call(list_versions, name, limit=limit).items

    def compare(self, name: str, old: int, new: int) -> VersionDiff:
        """Return, field by field, what the second version has that the first has not."""
        return self._backend.call(compare_versions, name, old, new)

    def roll_back(self, name: str, version: int, *, who: str | None = None) -> JobMade:
        """Make an old version the current one again; one of code or a file is refused."""
        return self._backend.acting_as(who).call(roll_back_job, name, version=version)

    def weigh(
        self, name: str, weights: Mapping[int, int], *, who: str | None = None
    ) -> dict[int, int]:
        """Share out the runs to come between versions, as in {3: 90, 4: 10}; {} ends it."""
        named = {str(version): weight for version, weight in weights.items()}
        answer = self._backend.acting_as(who).call(weigh_versions, name, named)
        return {int(version): weight for version, weight in answer.weights.items()}
