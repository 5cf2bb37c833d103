"""Desks: where commands ask, be it a database or a server; both answer with the same views."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from rota.cli.connect.run_answers import Filters, Listed, Shown
from rota.cli.connect.server_client import server_client
from rota.cli.connect.store_app import client, find_id
from rota.cli.options import settings
from rota.model.states import State

if TYPE_CHECKING:
    from rota.app import App, Run
    from rota.client import Client, ServedRun
    from rota.engine.admission.holds import Holds
    from rota.engine.admission.queues import QueueView
    from rota.engine.insight.reasons import Reason
    from rota.engine.workers.registry import WorkerView
    from rota.model.log import Level, LogLine
    from rota.model.run import RunView
    from rota.store.base import Tx

    Handle = Run[Any] | ServedRun

EXPLAINED = (State.QUEUED, State.SCHEDULED)


class RunBackend(Protocol):
    """What commands ask for."""

    def now(self) -> int: ...
    def run(self, text: str) -> Handle: ...
    def runs(self, filters: Filters) -> list[Listed]: ...
    def show(self, text: str) -> Shown: ...
    def why(self, text: str, node: str | None) -> list[Reason]: ...
    def queues(self) -> list[QueueView]: ...
    def pause_queue(self, name: str, note: str | None) -> None: ...
    def resume_queue(self, name: str) -> None: ...
    def workers(self) -> list[WorkerView]: ...
    def drain_worker(self, worker: WorkerView, *, drains: bool) -> None: ...
    def search_logs(
        self, text: str, *, job: str | None, since: str | None, level: Level, limit: int
    ) -> list[LogLine]: ...


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
        return self._app.run(find_id(text, self._recent))

    def runs(self, filters: Filters) -> list[Listed]:
        from rota.engine.admission.holds import holds
        from rota.engine.runs.lists import runs
        from rota.engine.runs.paused import paused_among

        before = self.run(filters.before).id if filters.before else None

        def look(tx: Tx) -> tuple[list[RunView], frozenset[str], Holds]:
            found = runs(
                tx,
                state=State(filters.state) if filters.state else None,
                job=filters.job,
                queue=filters.queue,
                before=before,
                limit=filters.limit,
                namespace=self._namespace,
            )
            return found, paused_among(tx, found), holds(tx, namespace=self._namespace)

        found, paused, here = self._app.store.read(look)
        listed = []
        for run in found:
            obstacles = (
                here.obstacles(job=run.job, queue=run.queue) if run.state == "queued" else []
            )
            first = obstacles[0].says if obstacles else None
            listed.append(Listed(run, here.holds(run), first, run.id in paused))
        return listed

    def show(self, text: str) -> Shown:
        from rota.engine.admission.holds import holds
        from rota.engine.runs.paused import paused_among

        run = self.run(text)
        view = run.show()
        here, paused = self._app.store.read(
            lambda tx: (holds(tx, namespace=self._namespace), paused_among(tx, [view]))
        )
        told = run.on_failure_run() if view.state is State.FAILED else None
        return Shown(
            run=view,
            on_failure_run=told.id if told else None,
            attempts=run.attempts(),
            tally=run.tally(),
            reasons=run.why() if view.state in EXPLAINED else [],
            is_held=here.holds(view),
            is_paused=view.id in paused,
            graph=run.graph(),
        )

    def why(self, text: str, node: str | None) -> list[Reason]:
        return self.run(text).why(node)

    def queues(self) -> list[QueueView]:
        from rota.engine.admission.queues import queues

        return self._app.store.read(lambda tx: queues(tx, namespace=self._namespace))

    def pause_queue(self, name: str, note: str | None) -> None:
        from rota.app.operate import pause_queue

        pause_queue(self._app, name, note)

    def resume_queue(self, name: str) -> None:
        from rota.app.operate import resume_queue

        resume_queue(self._app, name)

    def workers(self) -> list[WorkerView]:
        from rota.engine.workers.registry import workers

        return self._app.store.read(lambda tx: workers(tx, namespace=self._namespace))

    def drain_worker(self, worker: WorkerView, *, drains: bool) -> None:
        from rota.app.operate import drain_worker

        drain_worker(self._app, worker, drains=drains)

    def search_logs(
        self, text: str, *, job: str | None, since: str | None, level: Level, limit: int
    ) -> list[LogLine]:
        return self._app.search_logs(text, job=job, since=since, level=level, limit=limit)

    def _recent(self, limit: int) -> list[str]:
        from rota.engine.runs.lists import runs

        namespace = self._app.namespace
        recent = self._app.store.read(lambda tx: runs(tx, namespace=namespace, limit=limit))
        return [run.id for run in recent]


class ServerRunBackend:
    """Through a server, as the token allows."""

    def __init__(self, served: Client) -> None:
        self._served = served

    def now(self) -> int:
        return round(time.time() * 1000)

    def run(self, text: str) -> ServedRun:
        return self._served.run(find_id(text, self._recent))

    def runs(self, filters: Filters) -> list[Listed]:
        from rota.client.documents import run_view

        before = self.run(filters.before).id if filters.before else None
        found = self._served.run_answers(**filters._asdict() | {"before": before})
        return [Listed(run_view(each), each.held, each.obstacle, each.paused) for each in found]

    def show(self, text: str) -> Shown:
        from rota.client.documents import run_view

        run = self.run(text)
        answer = run.answer()
        reasons = run.why() if answer.status in EXPLAINED else []
        return Shown(
            run=run_view(answer),
            on_failure_run=answer.on_failure_run,
            attempts=run.attempts(),
            tally=answer.tally,
            reasons=reasons,
            is_held=any(each.kind == "held" for each in reasons),
            is_paused=answer.paused,
            graph=run.graph(),
        )

    def why(self, text: str, node: str | None) -> list[Reason]:
        return self.run(text).why(node)

    def queues(self) -> list[QueueView]:
        return self._served.queues()

    def pause_queue(self, name: str, note: str | None) -> None:
        self._served.pause_queue(name, note)

    def resume_queue(self, name: str) -> None:
        self._served.resume_queue(name)

    def workers(self) -> list[WorkerView]:
        return self._served.workers()

    def drain_worker(self, worker: WorkerView, *, drains: bool) -> None:
        (self._served.drain_worker if drains else self._served.resume_worker)(worker.id)

    def search_logs(
        self, text: str, *, job: str | None, since: str | None, level: Level, limit: int
    ) -> list[LogLine]:
        return self._served.search_logs(text, job=job, since=since, level=level, limit=limit)

    def _recent(self, limit: int) -> list[str]:
        return [run.id for run in self._served.runs(limit=limit)]
