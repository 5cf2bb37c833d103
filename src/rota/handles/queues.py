"""Queues in the hands of a program: see how deep they are, pause one, resume one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.admission.queue import QueueView

# ruff: noqa: PLC0415  # imported for those who ask: importing an App stays quick


class QueueVerbs:
    """The verbs for queues that an App and a Client have themselves."""

    @property
    def backend(self) -> Backend:
        """What carries out operations."""
        raise NotImplementedError

    def queues(self) -> list[QueueView]:
        """All queues with their depth."""
        from rota.operations.admission.queues import list_queues

        return self.backend.call(list_queues).items

    def pause_queue(self, name: str, note: str | None = None) -> None:
        """Start nothing new from this queue; what runs goes on."""
        from rota.operations.admission.queues import pause_queue

        self.backend.call(pause_queue, name, note=note)

    def resume_queue(self, name: str) -> None:
        """Start what waits, in the old order."""
        from rota.operations.admission.queues import resume_queue

        self.backend.call(resume_queue, name)
