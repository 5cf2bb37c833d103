"""Handlers that attack their own process: their runs end with a reason, and no other is hurt."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from rota.app import App, Run
from rota.model.states import FINAL, State
from tests.crash.hostile import hostile_app
from tests.support.calls import eventually
from tests.support.processes import Crew, Program, crew_of
from tests.support.programs import is_alive

pytestmark = pytest.mark.chaos

HEALTHY = 15
"""The number of healthy runs beside each hostile one."""
QUARANTINED = "quarantined: the process of the handler "
ALONE = " while it ran alone, 2 times; find out why before you redrive it"
ENDS = {
    "leave": QUARANTINED + "exited with 0" + ALONE,
    "close_everything": "quarantined: the handler closed the pipe of its process" + ALONE,
    "close_and_return": QUARANTINED + "exited with 1" + ALONE,
    "kill_the_parent": "no retries allowed",
    "kill_the_group": QUARANTINED + "was killed by SIGTERM" + ALONE,
    "kill_the_worker_by_a_program": QUARANTINED + "was killed by SIGTERM" + ALONE,
    "leave_by_alarm": QUARANTINED + "was killed by SIGALRM" + ALONE,
    "exit_politely": "no retries allowed",
    "segfault": QUARANTINED + "was killed by SIGSEGV" + ALONE,
    "recurse": "no retries allowed",
    "hold_the_interpreter": "no retries allowed",
}
"""The ends of runs that were carried out alone at last; some runs end before that."""


@pytest.fixture
def app(store_url: str) -> Iterator[App]:
    with hostile_app(store_url) as app:
        yield app


@pytest.fixture
def crew(app: App, tmp_path: Path) -> Iterator[Crew]:
    app.store  # noqa: B018  # the schema is there before the workers come
    with crew_of(app.url, tmp_path) as crew:
        yield crew


def fleet_of(crew: Crew, number: int) -> list[Program]:
    return [crew.worker(processes=1, app="tests.crash.hostile") for _ in range(number)]


@pytest.mark.slow
def test_workers_survive_hostile_handlers_and_every_healthy_run_succeeds(
    app: App, crew: Crew
) -> None:
    fleet = fleet_of(crew, 2)
    good: list[Run[int]] = []
    bad: dict[str, list[Run[None]]] = {}
    for name in (*ENDS, "leave_later"):
        codes = [(0,), (3,)] if name == "leave" else [()]
        bad[name] = [app.find_job(name).submit(*each) for each in codes]
        good += app.find_job("healthy").submit_many(range(HEALTHY))
    everything: list[Run[Any]] = [*good, *(run for runs in bad.values() for run in runs)]
    eventually(lambda: all(run.state in FINAL for run in everything), 240)

    assert [run.result(timeout=1) for run in good] == [*range(HEALTHY)] * len(bad)
    for name, says in ENDS.items():
        ended = bad[name][0].show()
        # Where it was never alone, its end is what it would have been without the others.
        in_company = (None, "no retries allowed")
        assert ended.reason == says or ended.reason in in_company, (name, ended.reason)
        assert ended.state is State.FAILED or name == "leave_by_alarm"
    for name in ("leave", "segfault", "close_everything"):
        assert bad[name][0].show().reason == ENDS[name]
    error = bad["kill_the_parent"][0].show().error
    assert error is not None
    assert "a handler may not send SIGKILL to its worker" in error.message
    assert "exited with 3 while it ran alone" in (bad["leave"][1].show().reason or "")
    again = app.find_job("healthy").submit_many(range(HEALTHY))
    assert [run.result(timeout=60) for run in again] == [*range(HEALTHY)]
    stuck = [len(program.notices("worker.stuck")) for program in fleet]
    for program in fleet:
        assert is_alive(program.pid)
        program.send(signal.SIGTERM)
    for program, before in zip(fleet, stuck, strict=True):
        code = program.wait()
        # One that left-over handlers kept from beating while it drained was killed, and reports it.
        was_killed = len(program.notices("worker.stuck")) > before
        assert code == (128 + signal.SIGKILL if was_killed else 0)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_every_killed_process_of_the_tree_is_started_again(app: App, crew: Crew) -> None:
    top = crew.worker(processes=2, app="tests.crash.hostile")
    eventually(lambda: len(top.notices("worker.started")) == 2)
    for _ in range(2):  # first the supervisors, then the workers below the new ones
        for supervisor in top.children():
            os.kill(supervisor, signal.SIGKILL)
            eventually(lambda gone=supervisor: gone not in top.children())  # type: ignore[misc]
        eventually(lambda: len(_workers(top)) == 2)
        for worker in _workers(top):
            os.kill(worker, signal.SIGKILL)
        eventually(lambda: len(_workers(top)) == 2)
    eventually(lambda: len(top.notices("worker.started")) >= 4)

    assert app.find_job("healthy").submit(7).result(timeout=60) == 7
    assert top.notices("process.died")
    top.send(signal.SIGTERM)
    assert top.wait() == 0
    assert not top.family()


def _workers(top: Program) -> list[int]:
    """Return the processes below the supervisors."""
    return [
        each.pid
        for supervisor in top.children()
        for each in psutil.Process(supervisor).children()
        if each.status() != psutil.STATUS_ZOMBIE
    ]
