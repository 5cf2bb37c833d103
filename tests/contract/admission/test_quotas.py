"""Namespaces on record, and what they may use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

import pytest

from rota.clock import moment
from rota.engine.identity.namespaces import (
    check_room,
    find_namespace,
    namespaces,
    put_namespace,
    remove_namespace,
)
from rota.engine.insight.why import why
from rota.errors import NotAllowed, QuotaExceeded, UnknownNamespace
from rota.model.identity.credentials import Quotas
from rota.runtime.dispatch.claim_gate import ClosedSpans
from rota.runtime.dispatch.claims import Claims
from rota.runtime.options import WorkerScope
from rota.store.base import Store
from tests.contract.builders import (
    Clock,
    claim_some,
    given_run,
    given_worker,
    new_run,
    submit_all,
)
from tests.contract.identity.builders import given_token

SMALL = Quotas(queued=2, running=1, rate=5.5, payload=1_000)


def put(store: Store, name: str = "team", quotas: Quotas = SMALL) -> None:
    store.write(lambda tx: put_namespace(tx, name, quotas, note="ours"))


def test_a_namespace_has_the_quotas_it_was_given_last(store: Store, clock: Clock) -> None:
    put(store)
    put(store, quotas=Quotas(queued=9))

    (found,) = store.read(namespaces)

    assert (found.name, found.note, found.created_at) == ("team", "ours", moment(clock.ms))
    assert found.quotas == Quotas(queued=9)
    assert store.read(lambda tx: find_namespace(tx, "team")) == found


def test_the_default_namespace_needs_no_record_and_others_do(store: Store) -> None:
    assert store.read(lambda tx: find_namespace(tx, "default")).quotas == Quotas()
    with pytest.raises(UnknownNamespace):
        store.read(lambda tx: find_namespace(tx, "team"))


def test_waiting_runs_of_all_kinds_fill_a_quota_and_those_that_run_do_not(store: Store) -> None:
    put(store)
    worker = given_worker(store, namespace="team")
    given_run(store, namespace="team")
    claim_some(store, worker, namespace="team")
    given_run(store, namespace="team", delay_ms=1_000)
    given_run(store, namespace="other")

    def check(more: int) -> None:
        store.read(lambda tx: check_room(tx, "team", more=more, quotas=SMALL))

    check(1)
    with pytest.raises(QuotaExceeded, match="1 of 2 runs"):
        check(2)
    given_run(store, namespace="team")
    with pytest.raises(QuotaExceeded, match="2 of 2 runs"):
        check(1)
    store.read(lambda tx: check_room(tx, "team", more=10**6, quotas=Quotas()))


def test_a_namespace_goes_only_when_it_is_empty(store: Store) -> None:
    put(store)
    given_token(store, namespace="team")

    with pytest.raises(NotAllowed, match="still has"):
        store.write(lambda tx: remove_namespace(tx, "team"))
    put(store, "empty")
    store.write(lambda tx: remove_namespace(tx, "empty"))

    assert [each.name for each in store.read(namespaces)] == ["team"]


def never(_: object) -> NoReturn:
    raise AssertionError


def test_claims_of_many_workers_never_run_more_than_the_quota(store: Store) -> None:
    put(store, quotas=Quotas(running=3))
    submit_all(store, [new_run() for _ in range(20)], namespace="team")
    scope = WorkerScope(namespace="team", queues=("default",), jobs=("noop",), find_work=never)

    def claim_as(worker_id: str) -> int:
        claims = Claims(scope)
        claims.worker_id = worker_id
        claims.obey(ClosedSpans(has_quota=True))
        assert not claims.is_lone
        return len(store.write(lambda tx: claims.claim(tx, 2)))

    workers = [given_worker(store, namespace="team") for _ in range(4)]
    with ThreadPoolExecutor(4) as crowd:
        claimed = list(crowd.map(claim_as, workers * 3))

    assert sum(claimed) == 3
    put(store, quotas=Quotas())
    assert claim_as(workers[0]) == 2, "no quota any more"


def test_why_says_that_the_quota_of_runs_is_used_up(store: Store) -> None:
    put(store)
    worker = given_worker(store, namespace="team")
    first, second = given_run(store, namespace="team"), given_run(store, namespace="team")
    claim_some(store, worker, limit=1, namespace="team")

    reasons = store.read(lambda tx: why(tx, second, namespace="team"))

    (quota,) = [each for each in reasons if each.kind == "quota"]
    assert quota.says == "the quota of namespace team is used up: 1 of 1 runs at once"
    assert store.read(lambda tx: why(tx, first, namespace="team"))[0].kind == "running"
