"""The holder: what waits behind busy slots goes back, what runs goes on and is told of once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from rota.clock import elapsed_s
from rota.model.runs.run import Begun, Lease
from rota.runtime.attempts.attempt import Attempt, Returned, Stopped
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.dispatch.give_back import PrefetchReturn
from rota.runtime.dispatch.outcomes import judge
from rota.runtime.dispatch.prefetch import BUSY_S, Prefetch
from rota.runtime.options import WorkerOptions
from tests.support.calls import call_of, eventually, lease

SLOTS = 2


class Scene:
    """A worker of two slots whose handlers wait."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.told: list[Begun] = []
        options = WorkerOptions(slots=SLOTS)
        self.calls = AttemptTable(options=options, started=self.started, wake=lambda: None)
        self.reserve = Prefetch(most=500, hold_s=0.05, now_s=elapsed_s())
        self.holding = PrefetchReturn(self.calls, self.reserve, slots=SLOTS, tell=self.tell)

    def started(self, call: Attempt) -> None:
        self.reserve.begun_s = call.started_s or 0.0

    def tell(self, begun: Sequence[Begun]) -> None:
        self.told += begun

    def open(self, count: int, *, held: bool = True) -> list[Attempt]:
        gate = self.gate

        def wait() -> None:
            assert gate.wait(60)

        work = call_of(wait).work
        leases: list[Lease] = [
            msgspec.structs.replace(lease({}, job="wait"), is_held=held) for _ in range(count)
        ]
        for each in leases:
            self.calls.open(each, work)
        found = [self.calls.find(each.run_id) for each in leases]
        return [call for call in found if call is not None]

    def given_back(self) -> list[Attempt]:
        return [call for call, ending in self.calls.endings if ending == Stopped("held")]

    def looks_until(self, count: int) -> None:
        """Look, as the thread would, until so many were given back."""

        def look() -> bool:
            self.holding.tick()
            return len(self.given_back()) >= count

        eventually(look, 20)


@pytest.fixture
def scene() -> Iterator[Scene]:
    scene = Scene()
    yield scene
    scene.gate.set()
    scene.calls.close()


def test_prefetched_runs_behind_busy_slots_are_given_back_without_an_attempt(scene: Scene) -> None:
    calls = scene.open(5)
    eventually(lambda: scene.calls.begun == SLOTS, 20)

    scene.looks_until(3)

    assert scene.given_back() == calls[2:]
    assert [judge(call, ending).verb for call, ending in scene.calls.endings] == ["release"] * 3  # type: ignore[union-attr]
    assert scene.reserve.ahead(elapsed_s()) == 0
    scene.gate.set()
    eventually(lambda: all(call.has_ended for call in calls), 20)
    ends = [ending for call, ending in scene.calls.endings if call in calls[:2]]
    assert all(isinstance(each, Returned) for each in ends)  # nobody stopped them


def test_behind_a_slot_that_works_for_long_nothing_is_given_back_while_others_begin(
    scene: Scene,
) -> None:
    calls = scene.open(5)
    eventually(lambda: scene.calls.begun == SLOTS, 20)
    eventually(lambda: elapsed_s() - (calls[0].started_s or 0) > 2 * BUSY_S, 20)

    for call in calls:
        call.claimed_s = elapsed_s()
    scene.reserve.begun_s = elapsed_s()  # another slot has begun something, and ended it
    scene.holding.tick()

    assert scene.given_back() == []


def test_a_handler_that_lasts_is_told_of_once_with_its_own_begin(scene: Scene) -> None:
    calls = scene.open(3)
    scene.looks_until(1)
    eventually(lambda: scene.holding.tick() or len(scene.told) == SLOTS, 20)
    scene.holding.tick()

    assert sorted(each.run_id for each in scene.told) == sorted(
        call.lease.run_id for call in calls[:2]
    )
    assert [each.held_ms for each in scene.told] == [call.held_ms for call in calls[:2]]


def test_a_run_with_a_slot_is_neither_given_back_nor_reported(scene: Scene) -> None:
    scene.open(SLOTS, held=False)
    eventually(lambda: scene.calls.begun == SLOTS, 20)

    scene.holding.tick()
    scene.holding.recall()

    assert (scene.told, scene.given_back()) == ([], [])
    assert scene.holding.pause_s() > 1  # nothing is held: it sleeps


def test_a_recall_gives_back_at_once_what_has_not_begun(scene: Scene) -> None:
    calls = scene.open(4)
    eventually(lambda: scene.calls.begun == SLOTS, 20)

    scene.holding.recall()

    assert scene.given_back() == calls[2:]
    assert [call.stop_reason for call in calls[:2]] == [None, None]


def test_something_held_is_looked_after_every_few_milliseconds(scene: Scene) -> None:
    scene.open(3)
    scene.holding.tick()

    assert scene.holding.pause_s() < 0.05
