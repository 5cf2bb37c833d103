"""Effects when processes die in the middle of them."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from rota.app import App
from rota.model.states import State
from tests.support.calls import eventually
from tests.support.checker import Witness, check_promises
from tests.support.effects import deeds, make_table
from tests.support.processes import Crew
from tests.support.trace_handlers import traces

pytestmark = pytest.mark.chaos
RUNS = 400
KILLS = 6


@pytest.fixture(autouse=True)
def table(app: App) -> None:
    app.store.read(lambda tx: tx.one("has_schema"))
    make_table(app.url)


def test_a_worker_killed_between_its_effects_and_the_commit_leaves_none(
    app: App, crew: Crew, gate: Path, store_url: str
) -> None:
    victim = crew.worker()
    run = app.find_job("pay_behind").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "inside"))
    victim.kill()
    assert deeds(store_url) == []
    crew.worker()

    assert run.result(timeout=60) == 2
    assert deeds(store_url) == [(run.id, 2, 2)]
    check_promises(store_url, [run.id])


@pytest.mark.slow
def test_effects_equal_successes_although_workers_are_killed(
    app: App, crew: Crew, store_url: str
) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    witness = Witness(store_url)
    runs = [
        run
        for job in ("pay", "pay_async", "pay_apart")
        for run in app.find_job(job).submit_many(range(RUNS // 4))
    ]
    slow = app.find_job("pay_slowly")
    runs += [slow.submit(number, chance.random() / 100) for number in range(RUNS // 4)]
    workers = [crew.worker(), crew.worker()]
    for number in range(KILLS):
        before = witness.look()
        eventually(lambda before=before: witness.look() >= min(RUNS, before + RUNS // 12), 40)  # type: ignore[misc]
        time.sleep(chance.random() / 50)
        workers[number % 2].kill()
        workers[number % 2] = crew.worker()
    for run in runs:
        run.wait(timeout=60)
    witness.look()

    ended = check_promises(store_url, [run.id for run in runs])
    done = sorted((run, end.fence) for run, end in ended.items() if end.state == "success")
    assert [(run, fence) for run, fence, _ in deeds(store_url)] == done, seed
    assert len(done) >= RUNS - 3 * KILLS, seed


def test_a_worker_that_slept_through_its_lease_cannot_commit(
    app: App, crew: Crew, gate: Path, store_url: str
) -> None:
    sleeper = crew.worker(grace_ms=60_000)
    run = app.find_job("pay_deafly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    sleeper.freeze(app.url)
    crew.heir()
    eventually(lambda: len(traces(crew.trail, "began")) == 2)
    gate.touch()
    assert run.wait(timeout=60).state is State.SUCCESS
    sleeper.send(signal.SIGCONT)
    eventually(lambda: len(traces(crew.trail, "tried")) == 2)

    assert deeds(store_url) == [(run.id, 2, 1)]
    assert check_promises(store_url, [run.id])[run.id].fence == 2


def test_the_next_attempt_goes_on_from_the_checkpoint_of_a_dead_worker(
    app: App, crew: Crew
) -> None:
    victim = crew.worker()
    run = app.find_job("climb").submit(str(crew.trail), 10)
    victim.wait()
    crew.worker()

    assert run.result(timeout=60) == 10
    steps = [(trace.event, trace.attempt) for trace in traces(crew.trail)]
    assert steps == [(f"step{n}", 1 if n <= 5 else 2) for n in range(10)]


@pytest.mark.parametrize(("policy", "calls", "result"), [("retry", 2, "charged"), ("lookup", 1, 1)])
def test_a_call_in_doubt_is_repeated_with_its_key_or_looked_up(
    app: App, crew: Crew, policy: str, calls: int, result: object
) -> None:
    victim = crew.worker()
    run = app.find_job("charge").submit(str(crew.trail), policy)
    victim.wait()
    crew.worker()

    assert run.result(timeout=60) == result
    events = [trace.event for trace in traces(crew.trail)]
    assert events.count("called") == calls
    assert len(set(events)) == 2


def test_a_call_in_doubt_is_parked_for_a_person(app: App, crew: Crew) -> None:
    victim = crew.worker()
    run = app.find_job("charge").with_options(retries=5).submit(str(crew.trail), "park")
    victim.wait()
    crew.worker()
    ended = run.wait(timeout=60)

    assert ended.state is State.FAILED
    assert (
        ended.reason
        == "in doubt: 'charge' was begun by an earlier attempt and may have taken place; "
        "say what became of it (rota effects settle), then redrive"
    )
    assert len(traces(crew.trail, "called")) == 1
