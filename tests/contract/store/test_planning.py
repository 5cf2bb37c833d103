"""How statements are planned: by the index, whatever a table looked like when it was small."""

from __future__ import annotations

import pytest

from rota.ids import new_id
from rota.runtime.attempts.transaction import Transaction
from rota.store.base import Store, Tx
from rota.store.open import open_store
from rota.store.postgres.connections.connector import Connector
from tests.contract.builders import START_MS, Clock, given_lease, run_sql
from tests.contract.runs.effects_table import desk_of

SMALL = 50
FILL = """
insert into rota.run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once, created_at,
    due_at, ready_at
)
select gen_random_uuid(), 'default', 'noop', 1, 'default', 0, 'queued', {start} + n, '{{}}', false,
       {start}, {start}, {start}
  from generate_series(1, {count}) as n
"""


def _seqscan(tx: Tx) -> str:
    (row,) = tx.raw("show enable_seqscan")
    return str(row["enable_seqscan"])


@pytest.mark.parametrize("lone", [True, False])
def test_no_statement_reads_a_table_whole_that_has_an_index(
    postgres_store: Store, *, lone: bool
) -> None:
    assert postgres_store.write(_seqscan, lone=lone) == "off"
    assert postgres_store.read(_seqscan) == "off"


@pytest.fixture
def behind_a_pooler(
    empty_postgres_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Store:
    """Its sessions are not ours: other clients have them after each transaction."""
    monkeypatch.setattr(Connector, "_settle_in", lambda *_: None)
    return open_store(empty_postgres_url, clock=clock)


def test_a_session_of_a_pooler_is_left_as_it_was(behind_a_pooler: Store) -> None:
    try:
        assert behind_a_pooler.write(_seqscan) == "off"
        assert behind_a_pooler.write(_seqscan, lone=True) == "on", (
            "such a statement is planned each time"
        )
        session = behind_a_pooler._pool._idle[-1].connection  # type: ignore[attr-defined]
        assert session.execute("show enable_seqscan").fetchone() == {"enable_seqscan": "on"}
    finally:
        behind_a_pooler.close()


def test_a_session_of_the_server_itself_is_ours(postgres_store: Store) -> None:
    postgres_store.read(_seqscan)
    session = postgres_store._pool._idle[-1].connection  # type: ignore[attr-defined]
    assert session.is_ours


def test_statements_of_a_handler_are_planned_as_anywhere_else(postgres_store: Store) -> None:
    lease = given_lease(postgres_store)
    seen: list[str] = []

    def apply(tx: Transaction) -> str:
        seen.append(tx.execute("show enable_seqscan")[0]["enable_seqscan"])
        return "null"

    desk_of(postgres_store).commit(lease, apply, limit_s=5)

    assert seen == ["on"]
    assert postgres_store.read(_seqscan) == "off"


def test_a_claim_goes_by_its_index_while_there_is_little_to_claim(postgres_store: Store) -> None:
    run_sql(postgres_store.url, FILL.format(start=START_MS, count=SMALL))
    run_sql(postgres_store.url, "analyze rota.run")

    def plan(tx: Tx) -> str:
        claim = postgres_store._statements["claim_runs"].decode()  # type: ignore[attr-defined]
        params = {
            "namespace": "default",
            "queue": "default",
            "jobs": '["noop"]',
            "worker_id": new_id(),
            "limit": 1,
            "held": False,
            "now": START_MS,
        }
        return "\n".join(row["QUERY PLAN"] for row in tx.raw(f"explain {claim}", params))

    found = postgres_store.write(plan)

    assert "Index Scan using run_ready" in found
    assert "Sort" not in found
