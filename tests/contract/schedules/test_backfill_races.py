"""Backfills beside workers that end their runs, on PostgreSQL: none waits for what has ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from rota.engine.runs.finish import finish
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, claim_some, finish_with, given_worker, verdict
from tests.contract.schedules.backfill_builders import ON, begin, fill_some, progress
from tests.contract.schedules.builders import given_schedule
from tests.contract.store.interleaved import held_open, start
from tests.support.calls import eventually

pytestmark = pytest.mark.postgres

GATE = 4711
WITH_GATE = f"""
create function rota.gate() returns bool language plpgsql as
    'begin perform pg_advisory_lock_shared({GATE}); return pg_advisory_unlock_shared({GATE}); end';
alter table rota.run rename to run_behind;
create view rota.run as select * from rota.run_behind where rota.gate()
"""
WITHOUT_GATE = """
drop view rota.run;
alter table rota.run_behind rename to run;
drop function rota.gate()
"""


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


@contextmanager
def gate_before_runs(url: str) -> Iterator[psycopg.Connection]:
    """Whoever reads runs waits in the middle of the statement, while the gate is locked."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(WITH_GATE.encode())
        try:
            yield connection
        finally:
            connection.execute("select pg_advisory_unlock_all()")
            connection.execute(WITHOUT_GATE.encode())


def waits_at_gate(connection: psycopg.Connection) -> bool:
    asked = "select 1 from pg_locks where locktype = 'advisory' and not granted and objid = %s"
    return connection.execute(asked, (GATE,)).fetchone() is not None


def test_a_backfill_ends_though_its_last_run_ends_in_the_middle_of_a_look(
    postgres_store: Store,
) -> None:
    store = postgres_store
    given_schedule(store, "1h")
    begun = begin(store, hours=2, parallel=2)
    fill_some(store)
    first, last = claim_some(store, given_worker(store))
    finish_with(store, first, fired=True)
    ending = verdict(last, fired=True)

    with gate_before_runs(store.url) as gate:
        with held_open(store, lambda tx: finish(tx, [ending], namespace=HOME)):
            gate.execute("select pg_advisory_lock(%s)", (GATE,))
            look = start(lambda: fill_some(store))
            eventually(lambda: look.done() or waits_at_gate(gate))
        gate.execute("select pg_advisory_unlock(%s)", (GATE,))
        look.result(30)
    fill_some(store)

    assert progress(store, begun.id).state == "done"
