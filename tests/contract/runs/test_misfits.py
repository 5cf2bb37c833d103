"""Misfits: runs that a worker's function does not take wait for one that does, and cost nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rota.engine.admission.lanes import lanes_in_use
from rota.engine.jobs.definitions import define
from rota.engine.workers.registry import NewWorker, learn, register, retire
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import Lease
from rota.model.states import State
from rota.rules.jobs.accepted_arguments import takes_of
from rota.runtime.attempts.attempt import ResolvedJob
from rota.runtime.dispatch.claims import Claims
from rota.runtime.options import WorkerScope
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    cancel_run,
    claim_some,
    finish_with,
    given_run,
    state_of,
)

OLD = JobSpec(name="f", target=PythonTarget(ref="shop:f"), parameters={"n": "int"})
NEW = JobSpec(name="f", target=PythonTarget(ref="shop:f"), parameters={"n": "int", "m": "int"})


def no_work(lease: Lease) -> ResolvedJob:
    raise AssertionError(f"nothing is carried out here, nor is {lease.job}")


def takes(spec: JobSpec) -> dict[str, str]:
    return {"f": takes_of(spec) or ""}


def given_worker_with(store: Store, code: JobSpec) -> str:
    worker = NewWorker(
        id=new_id(),
        name="w",
        host="h",
        pid=1,
        queues=("default",),
        slots=8,
        version="0",
        jobs=("f",),
        takes=takes(code),
    )
    store.write(lambda tx: register(tx, worker, namespace=HOME, lease_ms=LEASE_MS))
    return worker.id


def claim(store: Store, worker: str, code: Mapping[str, str]) -> list[Lease]:
    lanes = store.read(
        lambda tx: lanes_in_use(tx, namespace=HOME, queues=["default"], jobs=["f"], takes=code)
    )
    return claim_some(store, worker, jobs=("f",), lanes=lanes)


def misfit(store: Store, lease: Lease, **facts: Any) -> list[str]:
    return finish_with(
        store, lease, "fail", kind="error", misfit=True, error='{"type":"E","message":"m"}', **facts
    )


@pytest.fixture
def workers(store: Store) -> tuple[str, str]:
    """One with the code of version 1, one with that of version 2."""
    for spec in (OLD, NEW):
        store.write(lambda tx, spec=spec: define(tx, spec, namespace=HOME))  # type: ignore[misc]
    return given_worker_with(store, OLD), given_worker_with(store, NEW)


def test_it_keeps_its_place_and_its_attempts_and_only_the_other_one_gets_it(
    store: Store, workers: tuple[str, str]
) -> None:
    old, new = workers
    first = given_run(store, job="f", version=2)
    later = given_run(store, job="f", version=2)
    leases = claim(store, old, takes(OLD))
    for lease in leases:
        assert misfit(store, lease) == []

    assert state_of(store, first) is State.QUEUED
    assert claim(store, old, takes(OLD)) == []
    fresh = given_run(store, job="f", version=2)
    again = claim(store, new, takes(NEW))

    assert [lease.run_id for lease in again] == [first, later, fresh]
    assert {(lease.attempt, lease.failures) for lease in again} == {(1, 0)}


def test_a_second_time_it_is_in_the_same_lane(store: Store, workers: tuple[str, str]) -> None:
    old, new = workers
    run_id = given_run(store, job="f", version=2)
    given_worker_with(store, NEW)
    for worker, code in ((old, OLD), (new, NEW)):
        (lease,) = claim(store, worker, takes(code))
        misfit(store, lease)

    (lease,) = claim(store, new, takes(NEW))

    assert lease.run_id == run_id


@pytest.mark.parametrize("end", ["retired", "dead"])
def test_nobody_waits_for_a_worker_that_is_not_alive(
    store: Store, clock: Clock, workers: tuple[str, str], end: str
) -> None:
    old, new = workers
    run_id = given_run(store, job="f", version=2)
    (lease,) = claim(store, old, takes(OLD))
    if end == "retired":
        store.write(lambda tx: retire(tx, new))
    else:
        clock.advance(LEASE_MS + 1)

    misfit(store, lease)

    assert state_of(store, run_id) is State.FAILED


def test_what_waits_for_who_left_is_seen_by_all_who_know_the_job(
    store: Store, workers: tuple[str, str]
) -> None:
    old, new = workers
    run_id = given_run(store, job="f", version=2)
    (lease,) = claim(store, old, takes(OLD))
    misfit(store, lease)
    assert claim(store, old, {}) == []

    store.write(lambda tx: retire(tx, new))

    assert [lease.run_id for lease in claim(store, old, {})] == [run_id]


def test_one_that_is_to_be_cancelled_ends(store: Store, workers: tuple[str, str]) -> None:
    old, _ = workers
    run_id = given_run(store, job="f", version=2)
    (lease,) = claim(store, old, takes(OLD))
    cancel_run(store, run_id)

    misfit(store, lease)

    assert state_of(store, run_id) is State.CANCELLED


def test_a_fence_of_before_moves_nothing(store: Store, workers: tuple[str, str]) -> None:
    old, _ = workers
    run_id = given_run(store, job="f", version=2)
    (lease,) = claim(store, old, takes(OLD))
    finish_with(store, lease, "release")
    (mine,) = claim(store, old, takes(OLD))

    assert misfit(store, lease) == [run_id]

    assert state_of(store, run_id) is State.RUNNING
    assert mine.fence > lease.fence


def test_who_learns_of_other_jobs_still_says_what_its_own_take(
    store: Store, workers: tuple[str, str]
) -> None:
    old, new = workers
    jobs, queues = ("f", "other"), ("default",)
    store.write(lambda tx: learn(tx, new, queues=queues, jobs=jobs, takes=takes(NEW)))
    run_id = given_run(store, job="f", version=2)
    (lease,) = claim(store, old, takes(OLD))

    misfit(store, lease)

    assert state_of(store, run_id) is State.QUEUED


def test_a_claim_of_a_version_that_the_worker_knows_asks_nothing_more(
    store: Store, workers: tuple[str, str]
) -> None:
    old, _ = workers
    claims = Claims(
        WorkerScope(
            namespace=HOME,
            queues=("default",),
            jobs=("f",),
            versions={"f": 1},
            takes=takes(OLD),
            find_work=no_work,
        )
    )
    claims.worker_id = old
    given_run(store, job="f", version=1)
    known = store.write(lambda tx: claims.take(tx, 1))
    given_run(store, job="f", version=2)
    other = store.write(lambda tx: claims.take(tx, 1))

    first = claims.are_to_complete(known), claims.are_to_complete(other)
    store.write(lambda tx: claims.complete(tx, other))

    assert claims.is_lone
    assert first == (False, True)
    assert not claims.are_to_complete(other), "once is enough"
