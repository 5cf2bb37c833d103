"""Handles for events: send one, and every schedule that listens starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.events.event import Sent

# ruff: noqa: PLC0415  # imported at first use: importing an App stays quick


class EventVerbs:
    """The verb for events, which an App and a Client inherit."""

    @property
    def backend(self) -> Backend:
        """The backend that carries out operations."""
        raise NotImplementedError

    def send(
        self, event: str, payload: Any = None, *, key: str | None = None, who: str | None = None
    ) -> Sent:
        """Send an event: every schedule that listens to it starts, once.

        Fields of the payload that are parameters of the job become its arguments; a parameter
        `event` gets the whole payload. With a `key`, the same event sent twice is one event.
        """
        from rota.operations.events.send import payload_text, send_event

        payload_text(payload)  # before it is on its way
        return self.backend.acting_as(who).call(send_event, event, payload=payload, key=key)
