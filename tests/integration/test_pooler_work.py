"""Runs begin and end once behind a real PgBouncer, which may restart or be full."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import psycopg
import pytest

from rota.app import App
from rota.errors import StoreUnavailable
from rota.model.states import State
from rota.store.open import connect
from tests.contract.builders import run_sql
from tests.integration.behind_pooler import behind, opened, run_count, working
from tests.integration.test_worker_leases import heard
from tests.support.calls import eventually
from tests.support.postgres import PostgresServer
from tests.support.trace_handlers import open_gate, traces, work_slowly

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("pgbouncer_program")]

RUNS = 3_000


def echo(number: int) -> int:
    print("one", number)  # noqa: T201  # its log is followed
    return number


def test_work_begins_and_ends_without_waiting_for_a_poll(pooled_url: str, tmp_path: Path) -> None:
    """Submit, result, lines of a log, cancel and schedule: each reaches the other process."""
    trail, gate = tmp_path / "trail", tmp_path / "gate"
    with App(pooled_url) as client, App(pooled_url) as server:
        for app in (client, server):
            app.job(echo)
            app.job(work_slowly)
        with working(server, lease_ms=60_000, heartbeat_ms=20_000, margin_ms=5_000):
            job = client.find_job("echo")
            waits_s = []
            for number in range(20):
                began_s = time.monotonic()
                assert job.submit(number).result(timeout=60) == number
                waits_s.append(time.monotonic() - began_s)
            assert sorted(waits_s)[10] < 1, "it takes 20 ms on a machine of its own"

            run = job.submit(7)
            assert [each.text for each in run.follow_logs()] == ["one 7"]

            slow = client.find_job("work_slowly").submit(str(trail), str(gate))
            eventually(lambda: traces(trail, "began"))
            slow.cancel()
            assert slow.wait(timeout=60).state is State.CANCELLED

            client.schedules.put("soon", "* * * * * *", job="echo", args={"number": 5})
            eventually(lambda: _fired(client))
        open_gate(gate)


def test_thousands_of_runs_end_once_through_two_sessions(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        behind(postgres_server, postgres_url, pool=2) as (url, _),
        App(url) as client,
        App(url) as one,
        App(url) as other,
    ):
        for app in (client, one, other):
            app.job(double)
        calm = {"lease_ms": 60_000, "margin_ms": 10_000}
        with working(one, **calm), working(other, **calm):
            runs = client.find_job("double").submit_many([(number,) for number in range(RUNS)])
            eventually(lambda: client.store.read(run_count) == 0)
        asked = "select cast(id as text), state, result, attempt from rota.run_history"
        found = run_sql(postgres_url, asked)

    assert sorted(found) == sorted(
        (run.id, "success", str(2 * number), 1) for number, run in enumerate(runs)
    )


def double(number: int) -> int:
    return 2 * number


def _fired(app: App) -> bool:
    found = app.store.read(
        lambda tx: tx.raw(
            "select count(*) as n from rota.run_history where schedule_id is not null"
        )
    )
    return bool(found[0]["n"] >= 2)


def test_a_pooler_that_restarts_or_is_full_is_an_outage_like_others(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        behind(postgres_server, postgres_url, pool=2, max_client_conn="12") as (url, bouncer),
        App(url) as app,
        heard("service.failed") as broken,
    ):
        app.job(echo)
        with working(app):
            assert app.find_job("echo").submit(1).result(timeout=60) == 1
            bouncer.kill()
            eventually(lambda: _is_refused(app))
            bouncer.start()
            eventually(lambda: _echoes(app, 2))
            with contextlib.ExitStack() as crowd:
                for _ in range(12):
                    with contextlib.suppress(psycopg.OperationalError):
                        crowd.enter_context(psycopg.connect(url, autocommit=True))
                with pytest.raises(StoreUnavailable, match="no more connections allowed"):
                    connect(url).read(run_count)
            eventually(lambda: _echoes(app, 3))
        assert broken == []


def test_a_pool_that_stays_taken_is_an_outage_like_others(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        behind(postgres_server, postgres_url, pool=1, query_wait_timeout="1") as (url, _),
        opened(url) as (store,),
        psycopg.connect(url) as hog,
    ):
        hog.execute("select 1")
        with pytest.raises(StoreUnavailable):
            store.read(run_count)
        hog.rollback()

        assert store.read(run_count) == 0


def _is_refused(app: App) -> bool:
    try:
        app.store.read(run_count)
    except StoreUnavailable:
        return True
    return False


def _echoes(app: App, number: int) -> bool:
    try:
        run = app.find_job("echo").with_options(key=f"{number}").submit(number)
        return bool(run.result(timeout=60) == number)
    except StoreUnavailable:
        return False
