"""A worker process that sleeps through its lease and finds on waking that others own its runs."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from rota.app import App
from rota.model.states import State
from tests.support.calls import eventually
from tests.support.checker import Witness, check_promises
from tests.support.processes import Crew, Program
from tests.support.trace_handlers import open_gate, traces

pytestmark = pytest.mark.chaos


def wake(sleeper: Program) -> None:
    """Wake it until it knows that its lease is over: a stop must not meet an ending handler."""
    sleeper.send(signal.SIGCONT)
    sleeper.wait_for("worker.rejoined")


def test_a_worker_that_wakes_up_after_its_lease_stops_its_handlers(
    app: App, crew: Crew, gate: Path, store_url: str
) -> None:
    sleeper = crew.worker()
    run = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    sleeper.freeze(app.url)
    crew.heir()
    eventually(lambda: len(traces(crew.trail, "began")) == 2)
    sleeper.send(signal.SIGCONT)
    eventually(lambda: traces(crew.trail, "stopped"))
    open_gate(gate)

    assert run.result(timeout=60) == 2
    assert [trace.fence for trace in traces(crew.trail, "stopped")] == [1]
    assert [trace.fence for trace in traces(crew.trail, "ended")] == [2]
    assert check_promises(store_url, [run.id])[run.id].fence == 2


def test_a_late_result_is_refused_while_another_worker_carries_out_the_run(
    app: App, crew: Crew, gate: Path, store_url: str
) -> None:
    sleeper = crew.worker(grace_ms=60_000)
    run = app.find_job("work_deafly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    sleeper.freeze(store_url)
    crew.heir()
    eventually(lambda: len(traces(crew.trail, "began")) == 2)
    wake(sleeper)
    open_gate(gate, fence=1)
    eventually(lambda: traces(crew.trail, "ended"))
    sleeper.wait_for("lease.lost")
    assert run.state is State.RUNNING
    open_gate(gate, fence=2)

    assert run.result(timeout=60) == 2
    (lost,) = sleeper.notices("lease.lost")
    assert lost["runs"] == [run.id]
    assert [trace.fence for trace in traces(crew.trail, "ended")] == [1, 2]
    check_promises(store_url, [run.id])


def test_a_late_result_does_not_overwrite_the_end_of_the_run(
    app: App, crew: Crew, gate: Path, store_url: str
) -> None:
    sleeper = crew.worker(grace_ms=60_000)
    witness = Witness(store_url)
    run = app.find_job("work_deafly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    sleeper.freeze(store_url)
    crew.heir()
    eventually(lambda: len(traces(crew.trail, "began")) == 2)
    open_gate(gate, fence=2)
    assert run.result(timeout=60) == 2
    witness.look()
    wake(sleeper)
    open_gate(gate, fence=1)
    sleeper.wait_for("lease.lost")

    witness.look()
    assert [trace.fence for trace in traces(crew.trail, "ended")] == [2, 1]
    assert check_promises(store_url, [run.id])[run.id].result == "2"


def test_a_worker_that_woke_up_works_on_under_a_new_name(app: App, crew: Crew, gate: Path) -> None:
    sleeper = crew.worker()
    app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    sleeper.freeze(app.url)
    other = crew.worker()
    eventually(lambda: len(traces(crew.trail, "began")) == 2)
    other.kill()
    wake(sleeper)

    assert app.find_job("echo").submit(7).result(timeout=60) == 7


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_a_process_that_freezes_inside_a_transaction_does_not_hold_the_others_up(
    app: App, crew: Crew, gate: Path
) -> None:
    victim = crew.worker(chores=False)
    run = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    crew.frozen("reap")
    victim.kill()
    crew.worker()
    open_gate(gate)

    assert run.result(timeout=60) == 2
