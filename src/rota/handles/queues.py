"""Handles for queues: show their depth, pause one, resume one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.admission.queue import QueueDetail, QueueView

# ruff: noqa: PLC0415  # imported at first use: importing an App stays quick


class QueueVerbs:
    """The verbs for queues, which an App and a Client inherit."""

    @property
    def backend(self) -> Backend:
        """The backend that carries out operations."""
        raise NotImplementedError

    def queues(self) -> list[QueueView]:
        """Return all queues with their depth."""
        from rota.operations.admission.queues import list_queues

        return self.backend.call(list_queues).items

    def show_queue(self, name: str) -> QueueDetail:
        """Return a queue with what limits it, its waits and rates; an unused one is empty."""
        from rota.operations.admission.queues import show_queue

        return self.backend.call(show_queue, name)

    def pause_queue(self, name: str, note: str | None = None) -> None:
        """Pause a queue: no run of it starts; those that run go on."""
        from rota.operations.admission.queues import pause_queue

        self.backend.call(pause_queue, name, note=note)

    def resume_queue(self, name: str) -> None:
        """Resume a queue: waiting runs start in the old order."""
        from rota.operations.admission.queues import resume_queue

        self.backend.call(resume_queue, name)
