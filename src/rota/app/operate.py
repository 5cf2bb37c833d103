"""Queues in the hands of a person, each change with its act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.app.acts import act
from rota.engine.admission.queues import pause, resume
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App


def pause_queue(app: App, name: str, note: str | None) -> None:
    def work(tx: Tx, _: str) -> None:
        pause(tx, name, note=note, namespace=app.namespace)

    act(app, "pause queue", name, work, detail={"note": note})


def resume_queue(app: App, name: str) -> None:
    act(app, "resume queue", name, lambda tx, _: resume(tx, name, namespace=app.namespace))
