"""How soon the runs of a killed process can be claimed again, with the leases of production."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from rota.app import App
from tests.contract.builders import run_sql
from tests.support.calls import eventually
from tests.support.figures import tell
from tests.support.processes import Crew
from tests.support.trace_handlers import open_gate, traces

pytestmark = pytest.mark.chaos

USUAL: dict[str, Any] = {"lease_ms": 20_000, "heartbeat_ms": 4_000, "margin_ms": 4_000}
PATIENCE_S = 60.0
LOG = "create table rota.lease_log (id text, lease_until bigint, seen_at bigint)"
ENTRY = "insert into rota.lease_log values (new.id, new.lease_until, new.seen_at);"
WITNESSES = {
    "sqlite": [
        f"create trigger lease_{verb} after {verb} on rota_worker begin {ENTRY} end"
        for verb in ("insert", "update")
    ],
    "postgres": [
        (
            "create function rota.log_lease() returns trigger language plpgsql as "
            f"$$ begin {ENTRY} return null; end $$"
        ),
        (
            "create trigger log_lease after insert or update on rota.worker "
            "for each row execute function rota.log_lease()"
        ),
    ],
}
"""Triggers with which the database records every lease: no test has to look in time."""
LOST = "select worker_id, ended_at from rota.attempt where kind = 'lost' order by ended_at"
TRUSTED = "select max(lease_until) from rota.lease_log where id = '{}' and lease_until > seen_at"


@pytest.fixture(autouse=True)
def _witness(app: App) -> None:
    for text in (LOG, *WITNESSES[app.store.dialect]):
        run_sql(app.url, text)


def start_run(app: App, crew: Crew, gate: Path) -> Any:
    run = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    eventually(lambda: run_sql(app.url, "select id from rota.worker where presence is not null"))
    return run


class Loss(NamedTuple):
    """Times by the database: the end of the lost worker's lease, and when its run was free."""

    lease_until: int
    ended_at: int


def lost(app: App, run: Any) -> Loss:
    """Wait until the run's first attempt counts as lost; return what the tables say about it."""
    eventually(lambda: run.show().crashes > 0, PATIENCE_S)
    worker, ended_at = run_sql(app.url, LOST)[0]
    ((until,),) = run_sql(app.url, TRUSTED.format(worker))
    return Loss(until, ended_at)


def now_ms() -> int:
    """Return the time of this machine, which is that of the database."""
    return time.time_ns() // 1_000_000


@pytest.mark.slow
def test_a_killed_process_is_noticed_long_before_its_lease_ends(
    app: App, crew: Crew, gate: Path
) -> None:
    victim = crew.worker(**USUAL)
    run = start_run(app, crew, gate)
    survivor = crew.worker(**USUAL)
    killed_at = now_ms()
    victim.kill()
    loss = lost(app, run)
    open_gate(gate)
    took_s = (loss.ended_at - killed_at) / 1000
    tell(f"{app.store.dialect}: claimable again {took_s:.1f} s after kill -9")

    assert loss.ended_at < loss.lease_until
    assert run.result(timeout=60) == 2
    assert survivor.notices("workers.gone")


@pytest.mark.slow
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_a_worker_whose_session_is_cut_again_and_again_keeps_its_runs(
    app: App, crew: Crew, gate: Path
) -> None:
    worker = crew.worker(**USUAL)
    run = start_run(app, crew, gate)
    crew.worker(**USUAL)
    end_s = time.monotonic() + 7
    while time.monotonic() < end_s:
        cut_listeners(app.url)
        time.sleep(0.3)
    open_gate(gate)

    assert run.result(timeout=60) == 1
    assert run.show().crashes == 0
    assert not worker.notices("worker.cut_off")


def cut_listeners(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(
            b"select pg_terminate_backend(cast(split_part(presence, ':', 1) as int))"
            b"  from rota.worker"
        )


def test_a_frozen_process_keeps_its_runs_until_its_lease_ends(
    app: App, crew: Crew, gate: Path
) -> None:
    """A frozen process is like a vanished host: nobody closes its sessions, only its lease ends."""
    lease: dict[str, Any] = {"lease_ms": 8_000, "heartbeat_ms": 1_000, "margin_ms": 1_000}
    frozen = crew.worker(**lease)
    run = start_run(app, crew, gate)
    survivor = crew.worker(**lease)
    frozen.freeze(app.url)
    loss = lost(app, run)
    open_gate(gate)
    over_s = (loss.ended_at - loss.lease_until) / 1000
    tell(f"{app.store.dialect}: claimable again {over_s:+.1f} s after the end of a lease")

    assert loss.ended_at >= loss.lease_until
    assert not survivor.notices("workers.gone")
    frozen.send(signal.SIGCONT)
    assert run.result(timeout=PATIENCE_S) == run.show().crashes + 1
