"""A worker process under its supervisor: crashes, signals, and no process left behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from rota.app import App
from rota.model.states import State
from tests.support.calls import eventually
from tests.support.processes import Crew, Program, is_draining
from tests.support.programs import is_alive
from tests.support.trace_handlers import open_gate, traces

pytestmark = [
    pytest.mark.chaos,
    # How a process handles signals does not depend on its store.
    pytest.mark.parametrize("store_url", ["sqlite"], indirect=True),
]


def child_of(supervisor: Program) -> int:
    """Return the worker process under a supervisor."""
    (child,) = supervisor.children()
    return child


def test_a_run_that_kills_its_worker_is_tried_alone_and_quarantined_and_costs_no_other_run(
    app: App, crew: Crew
) -> None:
    supervisor = crew.worker(supervised=True)
    first = child_of(supervisor)
    bad = app.find_job("segfault").submit()
    beside = app.find_job("echo").submit_many(range(50))
    ended = bad.wait(timeout=60)

    assert ended.state is State.FAILED
    assert ended.reason == (
        "quarantined: the process of the handler was killed by SIGSEGV while it ran alone, "
        "3 times; find out why before you redrive it"
    )
    assert [each.kind for each in bad.attempts()] == ["lost", "crash", "crash", "crash"]
    assert ended.error is not None
    assert ended.error.message == "the process of the handler was killed by SIGSEGV"
    assert [run.result(timeout=60) for run in beside] == list(range(50))
    (crash,) = supervisor.notices("worker.crashed")
    assert crash["signal"] == "SIGSEGV"
    assert child_of(supervisor) != first


def test_runs_of_a_killed_worker_are_taken_back_at_once_and_succeed(
    app: App, crew: Crew, gate: Path
) -> None:
    # With a lease of a minute nobody else could take the run back in time.
    supervisor = crew.worker(supervised=True, lease_ms=60_000, heartbeat_ms=10_000)
    run = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    for kills in range(1, 5):
        eventually(lambda kills=kills: len(traces(crew.trail, "began")) == kills)  # type: ignore[misc]
        os.kill(child_of(supervisor), signal.SIGKILL)
    eventually(lambda: len(traces(crew.trail, "began")) == 5)
    open_gate(gate)

    assert run.result(timeout=60) == 5
    assert (run.show().crashes, run.show().failures) == (4, 0)
    assert len(supervisor.notices("worker.crashed")) == 4


def test_a_deploy_that_signals_all_processes_at_once_costs_no_run_an_attempt(
    app: App, crew: Crew, gate: Path, tmp_path: Path
) -> None:
    """Like systemd: child processes get the signal as well, and are gone before the worker."""
    supervisor = crew.worker(supervised=True)
    apart = app.find_job("work_apart").submit(str(crew.trail), str(gate))
    command = app.find_job("sleep").submit(path=str(tmp_path / "pid"))
    eventually(lambda: traces(crew.trail, "began") and (tmp_path / "pid").exists())
    for each in supervisor.family():
        each.terminate()
    supervisor.send(signal.SIGTERM)

    assert supervisor.wait() == 0
    for run in (apart, command):
        view = run.show()
        assert (view.state, view.attempt, view.crashes) == (State.QUEUED, 0, 0), view
        assert run.attempts() == []


def test_a_worker_dies_with_its_supervisor(crew: Crew) -> None:
    supervisor = crew.worker(supervised=True)
    child = child_of(supervisor)
    supervisor.kill()

    eventually(lambda: not is_alive(child))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_handlers_end_and_then_the_exit_code_is_zero(
    app: App, crew: Crew, gate: Path, number: signal.Signals
) -> None:
    supervisor = crew.worker(supervised=True)
    run = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    supervisor.send(number)
    eventually(lambda: is_draining(app))
    waiting = app.find_job("echo").submit(1)
    open_gate(gate)

    assert supervisor.wait() == 0
    assert run.state is State.SUCCESS
    assert (waiting.state, waiting.show().attempt) == (State.QUEUED, 0)
    assert not supervisor.family()


def test_a_second_term_gives_back_running_runs_without_burning_an_attempt(
    app: App, crew: Crew, gate: Path, tmp_path: Path
) -> None:
    supervisor = crew.worker(supervised=True)
    jobs = [app.find_job(name) for name in ("work_slowly", "work_deafly", "work_apart")]
    runs = [job.submit(str(crew.trail), str(gate)) for job in jobs]
    command = app.find_job("sleep").submit(path=str(tmp_path / "pid"))
    eventually(lambda: len(traces(crew.trail, "began")) == 3 and (tmp_path / "pid").exists())
    supervisor.family()
    supervisor.send(signal.SIGTERM)
    eventually(lambda: is_draining(app))
    supervisor.send(signal.SIGTERM)

    assert supervisor.wait() == 0
    for run in (*runs, command):
        view = run.show()
        assert (view.state, view.attempt, view.crashes) == (State.QUEUED, 0, 0), view
        assert run.attempts() == []
    eventually(lambda: not supervisor.family())


def test_a_signal_while_the_worker_still_starts_is_not_lost(crew: Crew) -> None:
    supervisor = crew.start_worker(supervised=True)
    eventually(supervisor.children)
    supervisor.send(signal.SIGTERM)

    assert supervisor.wait() in (0, 128 + signal.SIGTERM)
    assert not supervisor.family()
