"""Workers in the hands of a program: see who works, let one take nothing new."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.workers.worker import WorkerView

# ruff: noqa: PLC0415  # imported for those who ask: importing an App stays quick


class WorkerVerbs:
    """The verbs for workers that an App and a Client have themselves."""

    @property
    def backend(self) -> Backend:
        """What carries out operations."""
        raise NotImplementedError

    def workers(self) -> list[WorkerView]:
        """The workers on record, the oldest first."""
        from rota.operations.workers.workers import list_workers

        return self.backend.call(list_workers).items

    def drain_worker(self, worker_id: str) -> None:
        """Let a worker take nothing new, from its next heartbeat on."""
        from rota.operations.workers.workers import drain_worker

        self.backend.call(drain_worker, worker_id)

    def resume_worker(self, worker_id: str) -> None:
        """Let a worker that was drained work again."""
        from rota.operations.workers.workers import resume_worker

        self.backend.call(resume_worker, worker_id)
