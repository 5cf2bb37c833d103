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
from rota.store import postgres_dialect, sqlite_dialect
from rota.store.migrate import migrations
from rota.store.open import open_store, pending, schema_script, upgrade_schema
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


def dialect_of(url: str) -> Dialect:
    return sqlite_dialect.DIALECT if url.startswith("sqlite") else postgres_dialect.DIALECT


def test_an_empty_store_gets_the_whole_schema_once(store_url: str) -> None:
    store = open_store(store_url)

    again = upgrade_schema(store)

    noted = run_sql(store_url, "select number, name from rota.migration order by number")
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
    assert run_sql(store_url, "select count(*) from rota.migration") == [(len(steps),)]


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
