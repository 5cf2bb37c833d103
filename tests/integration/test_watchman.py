"""The worker's own watch, ticked by hand: timeouts, silence, and what a drain gives back."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from rota.app import App, Run
from rota.clock import elapsed_s
from rota.ids import new_id
from rota.model.states import State
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from tests.contract.builders import claim_some
from tests.support.calls import eventually


class Hands:
    """A registered worker with one slot whose services stand still; its handler waits for us."""

    def __init__(self, app: App) -> None:
        self.begun = threading.Event()
        self.gate = threading.Event()
        self._app = app

        @app.job
        def work() -> None:
            self.begun.set()
            self.gate.wait(20)

        self._job = work
        self.worker: Worker = app.worker(WorkerOptions(slots=1, chores=False))
        self.worker._register(new_id())

    def begin(self, count: int, **options: str) -> list[Run[None]]:
        """Runs that the worker holds; the first is at work, the others wait for its slot."""
        runs = self._job.with_options(**options).submit_many([()] * count)
        leases = claim_some(self._app.store, self.worker.id, jobs=["work"])
        self.worker._courier.open(leases)
        assert self.begun.wait(20)
        return runs

    def first(self) -> Attempt:
        return self.worker._calls.everything()[0]

    def close(self) -> None:
        self.gate.set()
        self.worker._calls.close()


@pytest.fixture
def hands(app: App) -> Iterator[Hands]:
    hands = Hands(app)
    yield hands
    hands.close()


def test_a_handler_that_runs_too_long_is_asked_to_stop(hands: Hands) -> None:
    hands.begin(1, timeout="20ms")
    call = hands.first()
    eventually(lambda: call.deadline_s is not None and elapsed_s() > call.deadline_s)

    hands.worker._deadlines.tick()

    assert call.stop_reason == "timeout"


def test_a_handler_that_has_ended_is_not_kept_until_its_deadline(hands: Hands) -> None:
    """A timeout of a day and a thousand runs a second would fill the memory."""
    hands.begin(3, timeout="1d")
    call = weakref.ref(hands.first())  # not the last: a slot thread knows that until the next
    hands.worker._deadlines.tick()
    hands.gate.set()

    def is_gone() -> bool:
        hands.worker._courier.tick()
        hands.worker._deadlines.tick()
        gc.collect()
        return call() is None

    eventually(is_gone)


def test_the_watchman_wakes_for_a_deadline_before_its_next_look(hands: Hands) -> None:
    deadlines = hands.worker._deadlines
    deadlines.interval_s = 60.0
    deadlines.start()
    eventually(lambda: deadlines.next_s > elapsed_s() + 30)
    hands.begin(1, timeout="20ms")

    call = hands.first()
    eventually(lambda: call.stop_reason == "timeout")
    deadlines.stop()


def test_a_worker_that_was_silent_too_long_stops_its_own_work(hands: Hands) -> None:
    options = WorkerOptions()
    hands.begin(1)
    call = hands.first()

    hands.worker._deadlines.tick()
    before = (call.stop_reason, hands.worker._heartbeat.is_cut_off)
    hands.worker._heartbeat.last_sent_s -= (options.lease_ms - options.margin_ms) / 1000
    hands.worker._deadlines.tick()

    assert before == (None, False)
    assert (call.stop_reason, hands.worker._heartbeat.is_cut_off) == ("cut_off", True)


def test_a_drain_gives_back_what_has_not_started(hands: Hands) -> None:
    runs = hands.begin(3)

    hands.worker._calls.withdraw("drain")
    hands.worker._courier.tick()

    views = [run.show() for run in runs]
    assert [view.state for view in views] == [State.RUNNING, State.QUEUED, State.QUEUED]
    assert [(view.attempt, view.fence) for view in views] == [(1, 1), (0, 1), (0, 1)]
