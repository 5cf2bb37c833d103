"""The roster: it tells only of changes, and does not look more often than it should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rota.model.jobs.spec import CommandTarget, JobSpec
from rota.runtime.dispatch import stored_jobs as roster
from rota.runtime.dispatch.stored_jobs import LEAST_S, StoredJobWatcher
from rota.runtime.options import WorkerScope


def no_work(_: object) -> Any:
    """Nobody asks for work here."""


SCOPE = WorkerScope(
    namespace="default", queues=("default",), jobs=("own",), find_work=no_work, all_queues=True
)


class Shelf:
    """A store that holds jobs and counts who looks."""

    def __init__(self) -> None:
        self.jobs: dict[str, JobSpec] = {}
        self.looks = 0

    def read(self, work: Callable[[Any], Any]) -> Any:  # noqa: ARG002 - what it holds is known
        self.looks += 1
        return dict(self.jobs)

    def put(self, name: str, queue: str) -> None:
        target = CommandTarget(argv=("true",))
        self.jobs[name] = JobSpec(name=name, target=target, queue=queue)


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(roster, "elapsed_s", clock)
    return clock


def test_changes_are_told_once_with_their_queues(clock: Clock) -> None:
    shelf, told = Shelf(), list[WorkerScope]()
    served = StoredJobWatcher(shelf, SCOPE, learned=told.append)  # type: ignore[arg-type]  # all it needs

    served.tick()
    shelf.put("b", "fresh")
    for _ in range(3):
        clock.now_s += LEAST_S
        served.tick()

    assert [(scope.jobs, scope.queues) for scope in told] == [(("b", "own"), ("default", "fresh"))]


def test_the_watcher_of_stored_jobs_rests_between_looks(clock: Clock) -> None:
    shelf = Shelf()
    served = StoredJobWatcher(shelf, SCOPE, learned=lambda _: None)  # type: ignore[arg-type]

    served.tick()
    served.tick()
    rest_s = served.pause_s()
    clock.now_s += rest_s
    served.tick()

    assert rest_s == pytest.approx(LEAST_S)
    assert shelf.looks == 2
    assert served.pause_s() > LEAST_S
