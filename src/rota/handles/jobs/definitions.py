"""Handles for the jobs on record, from code, files or clients."""

from __future__ import annotations

import builtins

from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.jobs.job import JobEntry
from rota.operations.jobs.jobs import list_jobs


class Definitions:
    """The definitions of a namespace; get it as `app.definitions` or `client.definitions`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> builtins.list[JobEntry]:
        """Return all jobs on record by name, in their current version."""
        return all_items(self._backend, list_jobs, spec=True)
