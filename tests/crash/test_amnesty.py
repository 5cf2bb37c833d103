"""A database that is away for longer than a lease: no living worker is taken for dead."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from rota.app import App
from tests.support.calls import eventually
from tests.support.checker import check_promises
from tests.support.figures import tell
from tests.support.postgres import PostgresServer
from tests.support.processes import Crew
from tests.support.trace_handlers import open_gate, traces

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.parametrize("store_url", ["postgres"], indirect=True),
]

LEASE: dict[str, Any] = {"lease_ms": 4_000, "heartbeat_ms": 600, "margin_ms": 1_000}
AWAY_S = 6.0
BACK_S = 5.0


def test_living_workers_keep_their_attempts_through_an_outage_of_one_and_a_half_leases(
    app: App, crew: Crew, gate: Path, store_url: str, postgres_server: PostgresServer
) -> None:
    workers = [crew.worker(slots=3, **LEASE) for _ in range(2)]
    job = app.find_job("work_slowly")
    runs = [job.submit(str(crew.trail), str(gate)) for _ in range(6)]
    eventually(lambda: len(traces(crew.trail, "began")) == 6)
    went_s = time.monotonic()
    postgres_server.stop("immediate")
    eventually(lambda: time.monotonic() - went_s > AWAY_S)
    open_gate(gate)
    postgres_server.start()
    back_s = time.monotonic()
    runs[0].result(timeout=60)
    took_s = time.monotonic() - back_s
    tell(f"first completion {took_s:.1f} s after PostgreSQL was back")

    assert [run.result(timeout=60) for run in runs] == [1] * 6
    assert took_s < BACK_S
    for run in runs:
        assert (run.show().crashes, run.show().attempt, run.attempts()) == (0, 1, [])
    for worker in workers:
        worker.wait_for("store.recovered")
        assert len(worker.notices("store.unavailable")) == 1
        assert not worker.notices("runs.reaped")
    check_promises(store_url, [run.id for run in runs])


def test_results_from_during_an_outage_are_reported_after_it(
    app: App, crew: Crew, gate: Path, postgres_server: PostgresServer
) -> None:
    crew.worker(**LEASE)
    job = app.find_job("work_slowly")
    runs = [job.submit(str(crew.trail), str(gate)) for _ in range(4)]
    eventually(lambda: len(traces(crew.trail, "began")) == 4)
    postgres_server.kill()
    open_gate(gate)
    eventually(lambda: len(traces(crew.trail, "ended")) == 4)
    postgres_server.start()

    assert [run.result(timeout=60) for run in runs] == [1] * 4
    assert [run.show().fence for run in runs] == [1] * 4
    assert len(traces(crew.trail, "began")) == 4
