"""Namespaces: no verb reads or changes what belongs to another one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rota.engine.admission import queues
from rota.engine.jobs.definitions import define, jobs, spec_of
from rota.engine.runs import find as inspect
from rota.engine.runs import lists as run_lists
from rota.engine.runs.cancel import cancel
from rota.engine.runs.rerun import rerun
from rota.engine.workers.registry import workers
from rota.errors import UnknownRun
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import FinishVerb
from rota.model.states import State
from rota.store.base import Store, Tx
from tests.contract.builders import (
    HOME,
    attempts_of,
    claim_some,
    finish_all,
    given_lease,
    given_run,
    given_state,
    given_worker,
    look,
    verdict,
)

FOREIGN = "b"
SPEC = JobSpec(name="noop", target=PythonTarget(ref="app:noop"))


@pytest.mark.parametrize("state", [State.QUEUED, State.SCHEDULED, State.RUNNING, State.SUCCESS])
@pytest.mark.parametrize(
    "verb",
    [
        lambda tx, run_id: inspect.find(tx, run_id, namespace=FOREIGN),
        lambda tx, run_id: inspect.attempts(tx, run_id, namespace=FOREIGN),
        lambda tx, run_id: cancel(tx, run_id, namespace=FOREIGN),
        lambda tx, run_id: rerun(tx, run_id, namespace=FOREIGN, new_id=new_id(), who="ann"),
    ],
    ids=["find", "attempts", "cancel", "rerun"],
)
def test_a_run_of_another_namespace_looks_like_none(
    store: Store, state: State, verb: Callable[[Tx, str], object]
) -> None:
    run_id = given_state(store, state)
    before = look(store, run_id)

    with pytest.raises(UnknownRun):
        store.write(lambda tx: verb(tx, run_id))

    assert look(store, run_id) == before


@pytest.mark.parametrize(
    "verb", ["succeed", "retry", "fail", "release", "abort", "reap", "cancel", "expire"]
)
def test_a_run_of_another_namespace_cannot_be_finished(store: Store, verb: FinishVerb) -> None:
    lease = given_lease(store)
    before = look(store, lease.run_id)

    lost = finish_all(store, [verdict(lease, verb, kind="error")], namespace=FOREIGN)

    assert lost == [lease.run_id]
    assert look(store, lease.run_id) == before
    assert attempts_of(store, lease.run_id) == []


def test_a_verdict_that_was_applied_at_home_is_lost_elsewhere(store: Store) -> None:
    lease = given_lease(store)
    finish_all(store, [verdict(lease)])

    assert finish_all(store, [verdict(lease)], namespace=FOREIGN) == [lease.run_id]


def test_a_claim_sees_its_own_namespace_only(store: Store) -> None:
    given_run(store)
    theirs = given_run(store, namespace=FOREIGN)

    leases = claim_some(store, given_worker(store), namespace=FOREIGN)

    assert [lease.run_id for lease in leases] == [theirs]


def test_a_queue_is_paused_in_its_own_namespace_only(store: Store, worker: str) -> None:
    given_run(store)
    store.write(lambda tx: queues.pause(tx, "default", namespace=FOREIGN))

    assert store.read(lambda tx: queues.queues(tx, namespace=HOME))[0].is_paused is False
    assert len(claim_some(store, worker)) == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda tx: run_lists.runs(tx, namespace=FOREIGN),
        lambda tx: list(inspect.counts(tx, namespace=FOREIGN)),
        lambda tx: queues.queues(tx, namespace=FOREIGN),
        lambda tx: workers(tx, namespace=FOREIGN),
        lambda tx: jobs(tx, namespace=FOREIGN),
    ],
    ids=["runs", "counts", "queues", "workers", "jobs"],
)
def test_lists_show_their_own_namespace_only(
    store: Store, worker: str, read: Callable[[Tx], list[object]]
) -> None:
    for state in (State.SCHEDULED, State.RUNNING, State.SUCCESS, State.FAILED):
        given_state(store, state)
    store.write(lambda tx: queues.pause(tx, "default", namespace=HOME))
    store.write(lambda tx: define(tx, SPEC, namespace=HOME))

    assert store.read(read) == []


def test_endings_and_specs_of_another_namespace_are_not_told(store: Store) -> None:
    run_id = given_state(store, State.SUCCESS)
    version = store.write(lambda tx: define(tx, SPEC, namespace=HOME))

    assert store.read(lambda tx: inspect.endings(tx, [run_id], namespace=FOREIGN)) == {}
    assert store.read(lambda tx: spec_of(tx, "noop", version, namespace=FOREIGN)) is None
