"""What an answer of a store means: others see it, and it was written as durably as can be."""

from __future__ import annotations

import pytest

from rota.engine.insight.health import durability
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    cancel_run,
    claim_one,
    finish_with,
    given_run,
    run_sql,
)


def states(store: Store) -> list[str]:
    """As somebody sees them who shares no connection and no process state with the store."""
    live = run_sql(store.url, "select state from rota.run")
    ended = run_sql(store.url, "select state from rota.run_history")
    return sorted(str(row[0]) for row in (*live, *ended))


def test_a_committed_write_is_seen_by_everybody(store: Store, worker: str) -> None:
    seen = []

    given_run(store)
    seen.append(states(store))
    lease = claim_one(store, worker)
    seen.append(states(store))
    finish_with(store, lease)
    seen.append(states(store))
    cancel_run(store, given_run(store))
    seen.append(states(store))

    assert seen == [
        [State.QUEUED],
        [State.RUNNING],
        [State.SUCCESS],
        [State.CANCELLED, State.SUCCESS],
    ]


@pytest.mark.postgres
def test_no_transaction_asks_for_less_than_the_disk(postgres_store: Store) -> None:
    ((expected,),) = run_sql(postgres_store.url, "show synchronous_commit")

    inside = {each.name: each.value for each in postgres_store.write(durability)}

    assert inside["synchronous_commit"] == expected == "on"
