"""Handles for breakers: list them, hold a job back, let it go."""

from __future__ import annotations

import builtins

from rota.handles.backend import Backend
from rota.model.admission.breaker import BreakerView
from rota.operations.failures.breakers import close_breaker, list_breakers, open_breaker


class Breakers:
    """The breakers of a namespace; get it as `app.breakers` or `client.breakers`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> builtins.list[BreakerView]:
        """Return the breakers of all jobs that have one or are held back by hand, by job."""
        return self._backend.call(list_breakers).items

    def open(self, job: str, *, note: str | None = None, who: str | None = None) -> None:
        """Hold back all runs of a job until somebody closes its breaker; what runs goes on."""
        self._backend.acting_as(who).call(open_breaker, job, note=note)

    def close(self, job: str, *, who: str | None = None) -> bool:
        """Let the runs of a job go, in their old order; False when they were not held."""
        return self._backend.acting_as(who).call(close_breaker, job).changed
