"""Desks: where commands ask, be it a database or a server; both answer with the same views."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from rota.cli.connect.backends import run_at
from rota.cli.connect.server_client import server_client
from rota.cli.connect.store_app import client
from rota.cli.options import settings
from rota.model.states import State

if TYPE_CHECKING:
    from rota.app import App, Run
    from rota.cli.watching import RunLook
    from rota.client import Client, ServedRun
    from rota.engine.graphs.views.nodes import NodeView
    from rota.engine.graphs.views.timeline import Timeline

    Handle = Run[Any] | ServedRun

EXPLAINED = (State.QUEUED, State.SCHEDULED)


class RunBackend(Protocol):
    """What commands ask for."""

    def now(self) -> int: ...
    def run(self, text: str) -> Handle: ...
    def timeline(self, text: str) -> Timeline: ...
    def look(self, run_id: str) -> RunLook: ...


@contextmanager
def desk(flags: dict[str, Any]) -> Iterator[RunBackend]:
    """A server if the settings name one, else the store."""
    said = settings(flags)
    if said.server is not None:
        with server_client(said) as served:
            yield ServerRunBackend(served)
        return
    app = client(said)
    try:
        yield StoreRunBackend(app)
    finally:
        app.close()


class StoreRunBackend:
    """Straight to the database."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._namespace = app.namespace

    def now(self) -> int:
        from rota.engine.runs.find import now_ms

        return self._app.store.read(now_ms)

    def run(self, text: str) -> Run[Any]:
        return self._app.run(run_at(self._app, text).id)

    def timeline(self, text: str) -> Timeline:
        from rota.engine.graphs.views.timeline import timeline

        run_id = self.run(text).id
        return self._app.store.read(lambda tx: timeline(tx, run_id, namespace=self._namespace))

    def look(self, run_id: str) -> RunLook:
        from rota.cli.watching import take_look

        return take_look(self._app, run_id)


class ServerRunBackend:
    """Through a server, as the token allows."""

    def __init__(self, served: Client) -> None:
        self._served = served

    def now(self) -> int:
        return round(time.time() * 1000)

    def run(self, text: str) -> ServedRun:
        return self._served.run(run_at(self._served, text).id)

    def timeline(self, text: str) -> Timeline:
        return self.run(text).timeline()

    def look(self, run_id: str) -> RunLook:
        from rota.cli.watching import MOST_INNER, RunLook, add_nodes

        run = self._served.run(run_id)
        answer = run.node_answer()
        found: dict[str, NodeView] = {}
        add_nodes(
            lambda each: self._served.run(each).nodes(), answer.views(), "", found, [MOST_INNER]
        )
        shown = run.show()
        return RunLook(shown, found, answer.told(), self.now(), shown.paused)
