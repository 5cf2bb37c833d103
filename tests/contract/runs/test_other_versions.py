"""A run begins as the version it is pinned to says, whatever version its worker has code for."""

from __future__ import annotations

import pytest

from rota.model.graphs.graph import Cache
from rota.model.states import State
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.store.base import Store
from tests.contract.admission.builders import ClaimingWorker, ended
from tests.contract.builders import finish_all, given_run, state_of
from tests.contract.schedules.builders import given_job

CACHED = ClaimFacts(is_cached=True)
DEPENDENT = ClaimFacts(is_dependent=True)


def worker_with(store: Store, job: str, version: int, facts: ClaimFacts) -> ClaimingWorker:
    """A worker whose code has this version of the job, and defines it in this way."""
    return ClaimingWorker(store, job, facts={job: facts}, versions={job: version})


def test_a_result_is_cached_by_a_worker_whose_own_version_has_no_cache(store: Store) -> None:
    old = given_job(store)
    new = given_job(store, cache=Cache(ttl="1h"))
    worker = worker_with(store, "noop", old, ClaimFacts())
    given_run(store, version=new)

    (lease,) = worker.claim()

    assert lease.memo_key is not None


def test_a_result_is_not_cached_if_only_the_version_of_the_worker_has_a_cache(store: Store) -> None:
    old = given_job(store)
    new = given_job(store, cache=Cache(ttl="1h"))
    worker = worker_with(store, "noop", new, CACHED)
    given_run(store, version=old)

    (lease,) = worker.claim()

    assert lease.memo_key is None


@pytest.mark.parametrize("queues", [("default",), ("default", "mail")])
def test_a_run_waits_for_its_dependencies_in_a_worker_whose_own_version_has_none(
    store: Store, queues: tuple[str, ...]
) -> None:
    given_job(store, name="first")
    old = given_job(store, name="second")
    new = given_job(store, name="second", dependencies=("first",))
    worker = ClaimingWorker(store, "first", "second", versions={"second": old}, queues=queues)
    before = given_run(store, job="first")
    after = given_run(store, job="second", version=new)

    leases = worker.claim()

    assert [lease.run_id for lease in leases] == [before]
    assert state_of(store, after) is State.PENDING


def test_a_run_whose_version_has_no_dependencies_starts_in_a_worker_with_a_version_that_has_some(
    store: Store,
) -> None:
    given_job(store, name="first")
    old = given_job(store, name="second")
    new = given_job(store, name="second", dependencies=("first",))
    worker = worker_with(store, "second", new, DEPENDENT)
    given_run(store, job="first")
    run_id = given_run(store, job="second", version=old)

    leases = worker.claim()

    assert [lease.run_id for lease in leases] == [run_id]
    assert finish_all(store, [ended(lease) for lease in leases]) == []
