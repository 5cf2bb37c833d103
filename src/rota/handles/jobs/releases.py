"""Handles for releases: the declarations of each deploy, and the way back to one."""

from __future__ import annotations

import builtins

from rota.handles.backend import Backend
from rota.model.jobs.release import Release
from rota.operations.jobs.releases import list_releases, use_release


class Releases:
    """The releases of a namespace; get it as `app.releases` or `client.releases`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self, *, app: str | None = None, limit: int = 50) -> builtins.list[Release]:
        """Return releases, newest first; those of one app if its name is given."""
        return self._backend.call(list_releases, app=app, limit=limit).items

    def use(self, number: int, *, who: str | None = None) -> Release:
        """Put the declarations of this release in force; it gets a new number, the highest."""
        return self._backend.acting_as(who).call(use_release, number)
