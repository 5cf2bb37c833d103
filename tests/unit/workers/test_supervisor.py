"""Who is started again, and whose exit code counts: each case in processes of its own."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

import pytest

from rota.cli.serve.processes import ProcessSpec, run_crew
from rota.ids import new_id
from rota.notices import subscribe
from rota.runtime.lifeline import Lifeline
from rota.runtime.supervisor import AWAY, Incarnation, Rests, supervise

Life = Callable[[Incarnation], int]
LAST = 42
"""How the last of several lives ends, so that what went before is seen to be survived."""


def exit_code_of(work: Callable[[], int]) -> int:
    """Run it in a process of its own, which may fork and set signals."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def lives(*each: Life) -> Life:
    """The first life is the first of these, and so on; told by how many have died."""
    return lambda life: each[len(life.dead)](life)


def serve_then(end: Callable[[], object]) -> Life:
    def life(incarnation: Incarnation) -> int:
        incarnation.line.serve(60)
        end()
        return 0

    return life


def last(_: Incarnation) -> int:
    return LAST


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda: os._exit(0), id="an exit with 0"),
        pytest.param(lambda: os._exit(3), id="an exit with 3"),
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGKILL), id="a kill"),
        pytest.param(lambda: sys.exit(0), id="sys.exit"),
        pytest.param(lambda: 1 / 0, id="an error"),
        pytest.param(lambda: None, id="a drain that we did not ask for"),
    ],
)
def test_a_worker_that_served_and_ended_unasked_is_started_again(
    end: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.excepthook", lambda *_: None)

    assert exit_code_of(lambda: supervise(lives(serve_then(end), last))) == LAST


@pytest.mark.parametrize(
    ("life", "code"),
    [
        (lambda _: 2, 2),
        (lambda _: os._exit(3), 3),
        (lives(serve_then(lambda: os._exit(0)), lambda _: 5), 5),
    ],
    ids=["it said why", "it never served", "it served once and says why now"],
)
def test_a_worker_that_cannot_serve_ends_with_its_code(life: Life, code: int) -> None:
    assert exit_code_of(lambda: supervise(life)) == code


def test_a_worker_that_finds_the_store_away_is_tried_again() -> None:
    assert exit_code_of(lambda: supervise(lives(lambda _: AWAY, last))) == LAST


def test_a_worker_that_does_not_answer_is_killed() -> None:
    def hang(life: Incarnation) -> int:
        life.line.serve(1)
        time.sleep(600)
        return 0

    assert exit_code_of(lambda: supervise(lives(hang, last))) == LAST


def test_a_new_supervisor_knows_the_worker_of_the_dead_one() -> None:
    line = Lifeline()
    line.begin(new_id())
    known = line.worker_id

    def life(incarnation: Incarnation) -> int:
        return LAST if incarnation.dead == (known,) else 1

    assert exit_code_of(lambda: supervise(life, line)) == LAST


def test_asked_to_stop_the_code_is_the_workers_whatever_it_is() -> None:
    def life(incarnation: Incarnation) -> int:
        told: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
        incarnation.line.serve(60)
        os.kill(os.getppid(), signal.SIGTERM)
        while not told:
            time.sleep(0.01)
        return 0

    assert exit_code_of(lambda: supervise(life)) == 0


def test_a_member_of_a_crew_that_dies_comes_again_and_one_that_says_why_ends_all() -> None:
    line = Lifeline()  # shared memory: what one process writes the next one sees

    def work() -> int:
        line.beat()
        if line.beats == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0 if line.beats == 2 else 5

    def wait() -> int:
        time.sleep(600)
        return 0

    crew = [ProcessSpec("one", work), ProcessSpec("other", wait)]

    assert exit_code_of(lambda: run_crew(crew)) == 5


def test_rests_grow_with_each_early_death_and_are_short_after_a_long_life() -> None:
    rests = Rests()

    assert [rests.after(1) for _ in range(8)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 3.0, 3.0]
    assert rests.after(60) == 0.1


@pytest.mark.parametrize(
    ("end", "told"),
    [(lambda: None, "worker.left"), (lambda: os._exit(0), "worker.crashed")],
    ids=["it drained for a TERM of its own", "it died"],
)
def test_a_worker_that_was_told_to_stop_has_not_died(end: Callable[[], object], told: str) -> None:
    def tell() -> int:
        heard: list[str] = []
        subscribe(lambda name, _facts: heard.append(name))
        supervise(lives(serve_then(end), last))
        return 7 if heard == [told] else 1

    assert exit_code_of(tell) == 7
