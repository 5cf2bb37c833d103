"""Handles for the jobs on record, from code, files or clients."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.jobs.job import JobEntry
from rota.operations.jobs.jobs import list_jobs
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
