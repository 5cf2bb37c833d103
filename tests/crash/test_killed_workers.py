"""Worker processes that are killed, and killed again, in the middle of thousands of runs."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from rota.app import App
from rota.engine.runs.find import counts
from rota.model.states import FINAL
from tests.support.calls import eventually
from tests.support.checker import Witness, check_promises
from tests.support.processes import Crew, Program
from tests.support.trace_handlers import open_gate, traces

RUNS = 4000
CHUNK = 250
KILLS = 12

pytestmark = pytest.mark.chaos


@pytest.mark.slow
def test_every_run_ends_once_although_workers_are_killed_again_and_again(
    app: App, crew: Crew, store_url: str
) -> None:
    job = app.find_job("count")
    witness = Witness(store_url)
    workers = [crew.worker() for _ in range(3)]
    acknowledged: dict[str, int] = {}
    for kill in range(KILLS):
        first = kill * CHUNK
        numbers = range(first, first + CHUNK) if kill < KILLS - 1 else range(first, RUNS)
        done = len(traces(crew.trail))
        runs = job.submit_many(numbers)
        acknowledged |= {run.id: number for run, number in zip(runs, numbers, strict=True)}
        eventually(lambda done=done: len(traces(crew.trail)) > done + 100)  # type: ignore[misc]
        _kill_one(workers, crew)
        witness.look()
    eventually(lambda: _live(app) == 0, 60)
    witness.look()

    ended = check_promises(store_url, acknowledged)
    assert ended.keys() == acknowledged.keys()
    assert any(end.crashes for end in ended.values()), "nobody died at work"
    for run, end in ended.items():
        assert (end.state, end.result) == ("success", str(acknowledged[run])), end
    _check_effects(crew.trail, {run: end.fence for run, end in ended.items()})


def _kill_one(workers: list[Program], crew: Crew) -> None:
    """Kill a worker and start another."""
    victim = workers.pop(random.randrange(len(workers)))
    victim.kill()
    workers.append(crew.start_worker())


def _live(app: App) -> int:
    found = app.store.read(lambda tx: counts(tx, namespace="default"))
    return sum(number for state, number in found.items() if state not in FINAL)


def _check_effects(trail: Path, fences: dict[str, int]) -> None:
    """Check that no fence was at work twice, and none after the one that ended the run."""
    seen = Counter((trace.run_id, trace.fence) for trace in traces(trail))

    assert max(seen.values()) == 1
    assert all(fence <= fences[run] for run, fence in seen)


def test_another_worker_soon_carries_out_the_run_of_a_killed_one(
    app: App, crew: Crew, gate: Path
) -> None:
    victim = crew.worker()
    run = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    crew.worker()
    killed_s = time.monotonic()
    victim.kill()
    eventually(lambda: len(traces(crew.trail, "began")) == 2)
    took_s = time.monotonic() - killed_s
    open_gate(gate)

    assert run.result(timeout=60) == 2
    assert took_s < 10, "a lease of 1.5 s, a look every second, a process to start"
    assert run.show().crashes == 1


def test_an_at_most_once_run_is_not_retried_after_a_kill(app: App, crew: Crew, gate: Path) -> None:
    victim = crew.worker()
    run = app.find_job("work_once").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    victim.kill()
    crew.worker()
    ended = run.wait(timeout=60)

    assert ended.reason == "lost: the outcome is unknown and the job is at_most_once"
    assert len(traces(crew.trail)) == 1


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", ["work_apart", "sleep"])
def test_child_processes_of_a_killed_worker_die_with_it(
    app: App, crew: Crew, gate: Path, tmp_path: Path, name: str
) -> None:
    victim = crew.worker()
    job, path = app.find_job(name), tmp_path / "started"
    job.submit(path=str(path), **({"gate": str(gate)} if name == "work_apart" else {}))
    eventually(path.exists)
    victim.kill()

    eventually(lambda: not victim.family())


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("name", "sleepers"), [("nest", 3), ("nest_apart", 2)])
def test_grandchildren_of_a_killed_worker_die_with_it(
    app: App, crew: Crew, tmp_path: Path, name: str, sleepers: int
) -> None:
    victim = crew.worker()
    path = tmp_path / "started"
    app.find_job(name).submit(path=str(path))
    eventually(path.exists)
    eventually(lambda: [each.name() for each in victim.family()].count("sleep") == sleepers)
    victim.kill()

    eventually(lambda: not victim.family())
