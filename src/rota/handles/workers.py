"""Handles for workers: list them, drain one, resume one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.workers.worker import WorkerView

# ruff: noqa: PLC0415  # imported at first use: importing an App stays quick


class WorkerVerbs:
    """The verbs for workers, which an App and a Client inherit."""

    @property
    def backend(self) -> Backend:
        """The backend that carries out operations."""
        raise NotImplementedError

    def workers(self) -> list[WorkerView]:
        """Return the workers on record, oldest first."""
        from rota.operations.workers.workers import list_workers

        return self.backend.call(list_workers).items

    def drain_worker(self, worker_id: str) -> None:
        """Drain a worker: it takes nothing new, from its next heartbeat on."""
        from rota.operations.workers.workers import drain_worker

        self.backend.call(drain_worker, worker_id)

    def resume_worker(self, worker_id: str) -> None:
        """Resume a worker that was drained."""
        from rota.operations.workers.workers import resume_worker

        self.backend.call(resume_worker, worker_id)
