"""The list of holds: each keeps a run back, says why, is told wherever people look, and lets go."""

from __future__ import annotations

import pytest

from rota.engine.admission.active_holds import active_holds
from rota.engine.admission.hold import Hold
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.insight.queue_limits import limits_of
from rota.engine.insight.why import why
from rota.model.states import State
from rota.store.base import Store
from tests.contract.admission.builders import HELD, Held
from tests.contract.builders import HOME, START_MS, Clock, look

DAY_MS = 86_400_000
WAITING = (State.QUEUED, State.PENDING)


@pytest.fixture
def clock() -> Clock:
    return Clock(START_MS // DAY_MS * DAY_MS)


@pytest.fixture(params=HOLDS, ids=lambda hold: hold.name.replace(" ", "-"))
def hold(request: pytest.FixtureRequest) -> Hold:
    found: Hold = request.param
    return found


@pytest.fixture
def held(store: Store, clock: Clock, hold: Hold) -> Held:
    return HELD[hold.name](store, clock)


def test_each_hold_has_a_scene_and_a_name_of_its_own() -> None:
    names = [hold.name for hold in HOLDS]

    assert sorted(names) == sorted(HELD)
    assert len(set(names)) == len(names)


def test_a_claim_does_not_start_what_is_held(store: Store, held: Held) -> None:
    claimed = [lease.run_id for lease in held.worker.claim()]

    assert held.run_id not in claimed
    assert look(store, held.run_id).state in WAITING


def test_why_tells_of_a_run_that_is_held(store: Store, hold: Hold, held: Held) -> None:
    first, *_ = store.read(lambda tx: why(tx, held.run_id, namespace=HOME))

    assert first.kind == hold.reason
    assert len(first.says) > 20


def test_an_obstacle_in_lists_is_what_why_says(store: Store, hold: Hold, held: Held) -> None:
    around = store.read(lambda tx: active_holds(tx, namespace=HOME))

    told = [each.kind for each in around.reasons(job=held.job, queue="default")]

    # A run that waits on its own account is pending, and lists show that.
    is_pending = look(store, held.run_id).state is State.PENDING
    assert told == ([] if is_pending else [hold.reason])
    assert (hold.active is None) == is_pending


def test_the_page_of_a_queue_tells_of_a_hold_that_stops_it(
    store: Store, hold: Hold, held: Held
) -> None:
    limits = store.read(lambda tx: limits_of(tx, "default", namespace=HOME))

    stops = [each.kind for each in limits if each.stops]
    assert bool(stops) == (hold.limits is not None)


def test_a_run_starts_once_its_hold_is_released(store: Store, held: Held) -> None:
    held.worker.claim()
    held.free()

    claimed = [lease.run_id for lease in held.worker.claim()]

    # A run of a graph begins in the claim itself, and is suspended then.
    assert held.run_id in claimed or look(store, held.run_id).state is State.SUSPENDED
