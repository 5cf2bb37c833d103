"""Migrations: once, by one of many, never backwards, and also by hand."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import psycopg
import pytest

from rota.errors import SchemaMismatch
from rota.model.states import State
from rota.store.migrate import FIRST, Migration, migrations
from rota.store.migrate import __file__ as migrate_file
from rota.store.open import newer_schema, open_store, pending, schema_script, upgrade_schema
from rota.store.postgres import dialect as postgres_dialect
from rota.store.sqlite import dialect as sqlite_dialect
from rota.store.statements import Dialect
from tests.contract.builders import (
    Clock,
    claim_one,
    finish_with,
    given_run,
    given_worker,
    look,
    run_sql,
)

OPEN = """
import sys
from rota.store.open import open_store
sys.stdin.readline()
open_store(sys.argv[1]).close()
print("open")
"""

NOTED = """
select number, name from rota.migration
 union
select number, name from rota.schema_step
 order by 1
"""


def dialect_of(url: str) -> Dialect:
    return sqlite_dialect.DIALECT if url.startswith("sqlite") else postgres_dialect.DIALECT


def test_an_empty_store_gets_the_whole_schema_once(store_url: str) -> None:
    store = open_store(store_url)

    again = upgrade_schema(store)

    noted = run_sql(store_url, NOTED)
    store.close()
    assert again == []
    assert noted == [(step.number, step.name) for step in migrations(dialect_of(store_url))]


def test_a_store_that_may_only_check_says_what_is_missing(store_url: str) -> None:
    with pytest.raises(SchemaMismatch, match=r"lacks 0001_core.*rota db migrate"):
        open_store(store_url, upgrade=False)

    open_store(store_url).close()
    store = open_store(store_url, upgrade=False)
    assert pending(store) == []
    store.close()


def test_five_processes_that_start_at_once_make_one_schema(store_url: str) -> None:
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, store_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(5)
    ]
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()

    said = [process.communicate(timeout=60) for process in crowd]

    assert [out.strip() for out, _ in said] == ["open"] * 5, said
    steps = migrations(dialect_of(store_url))
    assert len(run_sql(store_url, NOTED)) == len(steps)


def test_a_file_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    """SQLite itself does not: two workers that started at once on a new file lost one of them."""
    maker = apsw.Connection(str(tmp_path / "rota.db"))
    maker.execute("begin immediate")
    with ThreadPoolExecutor(1) as pool:
        opened = pool.submit(open_store, f"sqlite:///{tmp_path}/rota.db")
        with pytest.raises(TimeoutError):
            opened.result(0.2)
        maker.execute("rollback")
        opened.result(60).close()
    maker.close()


def test_a_newer_schema_is_refused_and_left_alone(store_url: str) -> None:
    open_store(store_url).close()
    run_sql(store_url, "insert into rota.migration values (9999, 'future', 'x')")

    for upgrade in (True, False):
        with pytest.raises(SchemaMismatch, match=r"has schema 9999.*upgrade Rota"):
            open_store(store_url, upgrade=upgrade)


def test_a_newer_schema_that_says_it_can_be_read_by_this_code_is_used(store_url: str) -> None:
    open_store(store_url).close()
    ours = max(step.number for step in migrations(dialect_of(store_url)))
    run_sql(store_url, f"insert into rota.schema_step values (9999, 'future', 'x', {ours})")

    for upgrade in (True, False):
        store = open_store(store_url, clock=Clock(), upgrade=upgrade)
        run_id = given_run(store)
        finish_with(store, claim_one(store, given_worker(store)))
        assert look(store, run_id).state is State.SUCCESS
        assert (pending(store), newer_schema(store)) == ([], 9999)
        store.close()


def test_a_newer_schema_is_refused_once_one_of_its_steps_is_too_new(store_url: str) -> None:
    open_store(store_url).close()
    ours = max(step.number for step in migrations(dialect_of(store_url)))
    run_sql(store_url, f"insert into rota.schema_step values (9998, 'contract', 'x', {ours + 1})")
    run_sql(store_url, f"insert into rota.schema_step values (9999, 'expand', 'x', {ours})")

    with pytest.raises(SchemaMismatch, match=rf"has schema 9998, .* up to {ours}; upgrade Rota"):
        open_store(store_url)


def test_code_of_the_first_release_sees_only_the_steps_that_it_must_know(store_url: str) -> None:
    """It refuses every number in `migration` that is not its own, whatever that step did."""
    open_store(store_url).close()

    seen = run_sql(store_url, "select number from rota.migration order by number")

    closed = {s.number for s in migrations(dialect_of(store_url)) if s.readable_from > FIRST}
    assert {number for (number,) in seen if number > FIRST} == {n for n in closed if n > FIRST}
    if not store_url.startswith("sqlite"):
        assert {number for (number,) in seen if number > FIRST} == set()


def test_a_step_that_old_code_cannot_live_with_closes_the_door_to_the_first_release(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(store_url).close()

    contract = Migration(9000, "contract", "select 1;", readable_from=9000)
    steps = [*migrations(dialect_of(store_url)), contract]
    monkeypatch.setattr("rota.store.migrate.migrations", lambda _: steps)
    monkeypatch.setattr("rota.store.open.migrations", lambda _: steps)
    open_store(store_url).close()

    assert (9000,) in run_sql(store_url, "select number from rota.migration")


@pytest.mark.parametrize("dialect", [sqlite_dialect.DIALECT, postgres_dialect.DIALECT])
def test_every_migration_since_the_first_release_says_who_can_read_it(dialect: Dialect) -> None:
    """Its first line: `-- readable from: 35` if code of schema 35 works on with it, and so on."""
    folder = Path(migrate_file).parent / "migrations"
    for step in migrations(dialect):
        if step.number > FIRST:
            first = (folder / f"{step.number:04d}_{step.name}.sql").read_text().splitlines()[0]
            assert first.startswith("-- readable from: "), step.name
            assert FIRST <= step.readable_from <= step.number


def test_a_schema_that_was_changed_by_others_is_refused(store_url: str) -> None:
    open_store(store_url).close()
    run_sql(store_url, "update rota.migration set digest = 'other' where number = 1")

    with pytest.raises(SchemaMismatch, match="migration 1 in the database differs"):
        open_store(store_url)


def test_the_printed_schema_applied_by_hand_is_accepted(store_url: str) -> None:
    script = schema_script(dialect_of(store_url).name)
    if store_url.startswith("sqlite"):
        connection = apsw.Connection(str(Path(store_url.removeprefix("sqlite:///"))))
        connection.execute(script)
        connection.close()
    else:
        with psycopg.connect(store_url) as session:
            session.execute(script.encode())

    store = open_store(store_url, clock=Clock(), upgrade=False)

    run_id = given_run(store)
    finish_with(store, claim_one(store, given_worker(store)))
    assert look(store, run_id).state is State.SUCCESS
    store.close()


def test_a_migration_that_fails_leaves_nothing_behind(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last statement of the schema fails as it would on a full disk: after all others.
    from rota.store import migrate  # noqa: PLC0415  # only this test reaches inside

    real = migrate._note
    monkeypatch.setattr(migrate, "_note", lambda *_: "select broken from nowhere")
    with pytest.raises(Exception, match="nowhere"):
        open_store(store_url)
    monkeypatch.setattr(migrate, "_note", real)

    store = open_store(store_url, clock=Clock())

    assert look(store, given_run(store)).state is State.QUEUED
    store.close()
