"""Schedulers inside workers: they fire by themselves, once for all of them, and tell handlers."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Any

import pytest

from rota.app import App
from rota.clock import to_datetime
from rota.engine.runs.find import now_ms
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules import views as schedule_views
from rota.engine.schedules.backfills.fill import start_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.engine.schedules.backfills.views import show_backfill
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.engine.schedules.firings import firings_of
from rota.engine.schedules.trigger import trigger
from rota.ids import new_id
from rota.model.schedules.definitions import At, Every, Schedule
from rota.runtime.attempts.context import current_run
from tests.integration.conftest import Serve
from tests.support import handlers
from tests.support.calls import eventually

TABLES = CompiledSchedules(rules_version(), lambda: 0.5)
DAY_MS = 86_400_000


def put(app: App, schedule: Schedule, *, job: str, name: str = "s") -> None:
    app.store.write(
        lambda tx: schedules.put(
            tx, name, schedule, namespace=app.namespace, job=job, origin="code", who="test",
            compiled=TABLES, new_id=new_id,
        )
    )  # fmt: skip


def instants(app: App, name: str = "s") -> list[int]:
    rows = app.store.read(lambda tx: firings_of(tx, name, namespace=app.namespace, limit=1_000))
    return [row.instant.ms for row in rows if row.run_id][::-1]


def test_a_schedule_made_while_a_worker_runs_fires_soon(app: App, serve: Serve) -> None:
    seen: list[dict[str, Any]] = []

    @app.job
    def work(n: int) -> int:
        run = current_run()
        seen.append(
            {
                "for": run.scheduled_for,
                "from": run.interval_start,
                "to": run.interval_end,
                "schedule": run.schedule,
                "last": run.last_result(),
                "success": run.last_success,
            }
        )
        return n

    serve()
    put(app, Schedule(trigger=Every(every="200ms"), args={"n": 5}, overlap="queue_one"), job="work")

    eventually(lambda: len(seen) >= 3, deadline_s=15)
    third = seen[2]
    assert third["schedule"] == "s"
    assert third["for"] == third["to"]
    assert (third["to"] - third["from"]).total_seconds() == pytest.approx(0.2)
    assert (third["last"], isinstance(third["success"], datetime)) == (5, True)
    assert (seen[0]["last"], seen[0]["success"]) == (None, None)


def test_an_ordinary_run_has_no_schedule(app: App, serve: Serve) -> None:
    @app.job
    def work() -> list[bool]:
        run = current_run()
        known = (run.schedule, run.scheduled_for, run.interval_start, run.interval_end)
        return [each is None for each in (*known, run.last_success, run.last_result())]

    serve()

    assert work.submit().result(timeout=10) == [True] * 6


def test_a_handler_in_a_process_of_its_own_knows_its_instant(app: App, serve: Serve) -> None:
    app.job(name="when", isolation="process")(handlers.scheduled_for)
    serve(slots=1)
    at = app.store.read(now_ms) + 1_000
    put(app, Schedule(trigger=At(times=(_text(at),))), job="when")

    eventually(lambda: _last_state(app) == "success")
    run_id = app.store.read(
        lambda tx: schedule_views.show(tx, "s", namespace=app.namespace)
    ).last_success
    assert app.run(run_id or "").result(timeout=20) == at


def test_several_schedulers_fire_each_instant_once(app: App, serve: Serve) -> None:
    count = threading.Semaphore(0)

    @app.job
    def work() -> None:
        count.release()

    for _ in range(3):
        serve()
    for n in range(5):
        put(app, Schedule(trigger=Every(every="100ms")), job="work", name=f"s{n}")

    for _ in range(60):
        assert count.acquire(timeout=15)
    for n in range(5):
        found = instants(app, f"s{n}")
        assert found == list(range(found[0], found[-1] + 1, 100))


def test_a_start_that_waits_goes_on_when_the_one_before_has_ended(app: App, serve: Serve) -> None:
    gate, done = threading.Event(), []

    @app.job
    def work(n: int) -> None:
        gate.wait(10)
        done.append(n)

    serve()
    put(app, Schedule(trigger=Every(every="1d"), overlap="queue_all"), job="work")
    for n in range(3):
        app.store.write(
            lambda tx, n=n: trigger(  # type: ignore[misc]
                tx, "s", namespace=app.namespace, request_id=new_id(), compiled=TABLES,
                new_id=new_id, args=f'{{"n":{n}}}',
            )
        )  # fmt: skip

    gate.set()

    eventually(lambda: done == [0, 1, 2], deadline_s=15)


def test_a_backfill_works_itself_off(app: App, serve: Serve) -> None:
    @app.job
    def work() -> None:
        pass

    serve()
    put(app, Schedule(trigger=Every(every="1d")), job="work")
    now = app.store.read(now_ms)
    backfill_id = new_id()
    app.store.write(
        lambda tx: start_backfill(
            tx, "s", BackfillRange(from_at=now - 30 * DAY_MS, to_at=now, parallel=3),
            namespace=app.namespace, backfill_id=backfill_id, compiled=TABLES,
        )
    )  # fmt: skip

    def is_done() -> bool:
        view = app.store.read(lambda tx: show_backfill(tx, backfill_id, namespace=app.namespace))
        return (view.state, view.succeeded) == ("done", 30)

    eventually(is_done, deadline_s=20)


def _text(ms: int) -> str:
    return to_datetime(ms).isoformat()


def _last_state(app: App) -> str | None:
    return app.store.read(
        lambda tx: schedule_views.show(tx, "s", namespace=app.namespace)
    ).last_state
