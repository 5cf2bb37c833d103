"""A worker's login does what workers do: the same bodies as for the owner of the tables."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType

import pytest

from rota.engine.admission.quotas import room_to_run
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import HOME, Clock, given_lease, run_sql
from tests.contract.graphs import test_progress
from tests.contract.runs import test_claim, test_commit, test_effects, test_finish
from tests.contract.runs.effects_table import make_table
from tests.contract.values import test_result_cache
from tests.contract.workers import test_heartbeat
from tests.support.logins import Logins

pytestmark = pytest.mark.postgres
WORK = (
    test_claim,
    test_commit,
    test_effects,
    test_finish,
    test_progress,
    test_heartbeat,
    test_result_cache,
)
NOT_OF_WORKERS = {
    "test_a_rerun_does_again_what_is_known_and_remembers_it",
    "test_a_rerun_of_a_job_does_it_again",
    "test_nothing_of_a_paused_queue_is_claimed_until_it_is_resumed",
    "test_the_ledger_of_ended_runs_is_pruned_and_of_live_ones_is_not",
    "test_an_expired_cache_entry_is_pruned_with_its_large_value",
}
"""They rerun, pause a queue or prune, as people and chores do."""


def _is_body(name: str, it: object) -> bool:
    return isinstance(it, FunctionType) and name.startswith("test_") and name not in NOT_OF_WORKERS


globals().update(
    {name: it for module in WORK for name, it in vars(module).items() if _is_body(name, it)}
)


@pytest.fixture
def store(logins: Logins, clock: Clock) -> Iterator[Store]:
    """Logs in as a worker; what a test does past the store it does as an administrator."""
    opened = open_store(logins.worker, clock=clock)
    opened.url = logins.admin
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def table(store: Store) -> None:
    """Of the user's own, for handlers that commit with their runs."""
    make_table(store)
    run_sql(store.url, "grant select, insert on deed to public")


def test_a_quota_holds_for_a_worker_and_others_cannot_be_held_up(store: Store) -> None:
    run_sql(
        store.url,
        "insert into rota.namespace (name, max_running, created_at)"
        " values ('default', 2, 0), ('acme', 2, 0)",
    )
    given_lease(store)

    assert store.write(lambda tx: room_to_run(tx, HOME)) == 1
    assert store.write(lambda tx: room_to_run(tx, "acme")) is None
    house = open_store(store.url)
    room = house.scoped(["acme"])
    assert room.write(lambda tx: room_to_run(tx, "acme")) == 2
    assert room.write(lambda tx: room_to_run(tx, HOME)) is None
    house.close()
