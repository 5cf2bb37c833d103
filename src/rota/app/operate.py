"""Queues and workers in the hands of a person, each change with its act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.app.acts import act
from rota.engine.admission.queues import pause, resume
from rota.engine.workers.registry import WorkerView, ask_drain
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App


def pause_queue(app: App, name: str, note: str | None) -> None:
    def work(tx: Tx, _: str) -> None:
        pause(tx, name, note=note, namespace=app.namespace)

    act(app, "pause queue", name, work, detail={"note": note})


def resume_queue(app: App, name: str) -> None:
    act(app, "resume queue", name, lambda tx, _: resume(tx, name, namespace=app.namespace))


def drain_worker(app: App, worker: WorkerView, *, drains: bool) -> None:
    def work(tx: Tx, _: str) -> None:
        ask_drain(tx, worker.id, namespace=app.namespace, drains=drains)

    verb = "drain worker" if drains else "resume worker"
    act(app, verb, worker.id, work, detail={"name": worker.name})
