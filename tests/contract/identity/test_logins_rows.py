"""Logins and rows: a worker or a reader sees its namespaces, whatever it sets or calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from rota.engine.identity.audit_chain import prune_acts, seal, verify
from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.tokens import has_tokens
from rota.engine.values.artifacts import keep, load_kept
from rota.errors import RightMissing
from rota.ids import new_id
from rota.model.values.artifact import digest_of
from rota.store.access.rights import WORKER_SEEN
from rota.store.base import Store, Tx
from rota.store.open import open_store
from rota.store.postgres.store import PostgresStore
from tests.contract.builders import HOME, START_MS, Clock, given_run, run_sql
from tests.contract.identity.test_row_security import FURNISHED, OTHER, bare, furnish
from tests.support.logins import Logins
from tests.support.postgres import database_of

pytestmark = pytest.mark.postgres
KEPT = "x" * 200_000
SEEN = tuple(each for each in FURNISHED if each != "act")
DAY_MS = 86_400_000


@pytest.fixture
def opened() -> Iterator[Callable[[str], Store]]:
    stores: list[PostgresStore] = []

    def open_as(url: str) -> Store:
        store = open_store(url, clock=Clock())
        assert isinstance(store, PostgresStore)
        stores.append(store)
        return store

    yield open_as
    for store in stores:
        store.close()


@pytest.fixture
def furnished(logins: Logins, opened: Callable[[str], Store]) -> Logins:
    """Rows of two namespaces, made by a server's login."""
    store = opened(logins.server)
    for namespace in (HOME, OTHER):
        furnish(store, namespace)
        run_sql(
            logins.admin,
            "insert into rota.effect (run_id, name, fence, intended_at)"
            f" select id, 'e', 1, 0 from rota.run where namespace = '{namespace}'",
        )
    return logins


def rows(connection: psycopg.Connection, table: str) -> list[tuple[Any, ...]]:
    columns = ", ".join(WORKER_SEEN) if table == "worker" else "*"
    return connection.execute(f"select {columns} from rota.{table}".encode()).fetchall()


SETTINGS = (
    "select 1",
    f"set rota.namespaces = '{OTHER}'",
    f"set local rota.namespaces = '{OTHER}'",
    "set rota.namespaces = '*'",
    "set search_path = pg_temp, rota",
)


@pytest.mark.parametrize("kind", ["worker", "reader"])
def test_what_a_login_sets_shows_it_nothing_more(furnished: Logins, kind: str) -> None:
    tables = (*SEEN, "effect")
    with psycopg.connect(furnished.admin) as connection:
        half = {table: len(rows(connection, table)) / 2 for table in tables}
    with psycopg.connect(furnished.of(kind)) as connection:
        for said in SETTINGS:
            connection.execute(said.encode())
            for table in tables:
                seen = rows(connection, table)
                assert 0 < len(seen) == half[table], (said, table)
                assert OTHER not in str(seen), (said, table)


def test_a_run_that_a_session_claims_to_own_is_not_believed(furnished: Logins) -> None:
    for table in ("attempt", "effect", "node"):
        _check_not_believed(furnished, table)


def _check_not_believed(furnished: Logins, table: str) -> None:
    column = "graph_id" if table == "node" else "run_id"
    owners = run_sql(
        furnished.admin,
        f"select t.{column}, r.namespace from rota.{table} as t join (select id, namespace from"
        " rota.run union select id, namespace from rota.run_history) as r"
        f" on r.id = t.{column}",
    )
    theirs = next(run_id for run_id, namespace in owners if namespace == OTHER)

    with psycopg.connect(furnished.worker) as connection:
        connection.execute(f"set rota.own_run = '{theirs}'".encode())
        seen = str(rows(connection, table))
    assert "UUID(" in seen
    assert str(theirs) not in seen


def test_a_login_that_the_table_does_not_name_sees_nothing(furnished: Logins) -> None:
    """Somebody made it a member by hand."""
    name = database_of(furnished.admin)
    run_sql(furnished.admin, f"create role {name}_stray login")
    run_sql(furnished.admin, f"grant rota_worker_{name} to {name}_stray")

    with psycopg.connect(furnished.admin.replace("postgres@", f"{name}_stray@")) as connection:
        assert [table for table in SEEN if rows(connection, table)] == []


def test_rows_of_others_are_neither_made_nor_changed_nor_deleted(furnished: Logins) -> None:
    before = run_sql(furnished.admin, "select * from rota.run order by id")
    with psycopg.connect(furnished.worker, autocommit=True) as connection:
        for text in ("delete from rota.run", "update rota.run set job = 'y'"):
            cursor = connection.execute(f"{text} where namespace = '{OTHER}'".encode())
            assert cursor.rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(f"update rota.run set namespace = '{OTHER}'".encode())
        with pytest.raises(psycopg.errors.UndefinedObject, match="no job named"):
            connection.execute(f"select rota.submit('noop', namespace => '{OTHER}')".encode())
        assert connection.execute(b"select rota.submit('noop')").fetchone()

    after = run_sql(furnished.admin, "select * from rota.run order by id")
    assert after[: len(before)] == before


def test_a_shared_pool_hands_no_tenant_on(
    furnished: Logins, opened: Callable[[str], Store]
) -> None:
    """Requests of a server: unset, wrong, and the one before on the same connection."""
    store = opened(furnished.server)
    for _ in range(8):
        for namespace in (HOME, OTHER):
            seen = store.scoped([namespace]).read(bare("run"))
            assert {row["namespace"] for row in seen} == {namespace}
        for table in FURNISHED:
            assert store.scoped([]).read(bare(table)) == []
            assert store.scoped(["nobody"]).read(bare(table)) == []
        assert {row["namespace"] for row in store.read(bare("run"))} == {HOME, OTHER}


def test_a_type_of_the_callers_own_is_not_used_by_our_functions(furnished: Logins) -> None:
    """A temporary domain named `text` could have run its check as the owner."""
    with psycopg.connect(furnished.worker, autocommit=True) as connection:
        connection.execute(
            b"create function pg_temp.told(v pg_catalog.text) returns boolean language plpgsql as"
            b" $$ begin raise exception 'as %', current_user; end $$"
        )
        connection.execute(
            b"create domain pg_temp.text as pg_catalog.text check (pg_temp.told(value))"
        )
        connection.execute(keeping("b", digest_of(b"b")))
        asked = f"""select body from rota.values_of('["{digest_of(b"b")}"]')"""
        assert connection.execute(asked.encode()).fetchall() == [("b",)]


def keeping(body: str, digest: str) -> bytes:
    batch = json.dumps([{"digest": digest, "body": body}])
    return f"select rota.keep_own_values('{batch}', 1)".encode()


def test_a_value_has_its_own_name(logins: Logins) -> None:
    """Under the name of somebody else's it would be in the way."""
    with (
        psycopg.connect(logins.worker) as connection,
        pytest.raises(psycopg.errors.InvalidParameterValue, match="named by the SHA-256"),
    ):
        connection.execute(keeping("b", digest_of(b"a")))


def test_large_values_are_had_by_who_knows_their_name(
    furnished: Logins, opened: Callable[[str], Store]
) -> None:
    worker, reader = opened(furnished.worker), opened(furnished.reader)
    (pointer,) = worker.write(lambda tx: keep(tx, [KEPT])).values()

    for store in (worker, reader):
        assert store.read(lambda tx: load_kept(tx, [pointer])) == {pointer: KEPT}
    with pytest.raises(RightMissing, match="permission denied for table artifact"):
        worker.read(bare("artifact"))


def test_what_is_refused_is_told_in_words(logins: Logins, opened: Callable[[str], Store]) -> None:
    store = opened(logins.worker)
    with pytest.raises(RightMissing, match=r"table token.*_worker: this needs a login with more"):
        store.read(has_tokens)
    with pytest.raises(RightMissing, match="row-level security"):
        given_run(store, namespace=OTHER)


def acts_at(store: Store, logins: Logins, at: int) -> None:
    """Two acts of a time, in their places."""
    for _ in range(2):
        by = Actor(act_id=new_id(), who="ann")
        store.write(
            lambda tx, by=by: record(tx, by, namespace=HOME, verb="try", subject="", detail={})  # type: ignore[misc]
        )
    run_sql(
        logins.admin,
        f"set session_replication_role = replica;update rota.act set at = {at} where seq is null",
    )
    store.write(seal)


AUDIT = (
    "update rota.act set who = 'nobody'",
    "update rota.act set detail = '{}' where seq is null",
    "delete from rota.act",
    "truncate rota.act",
    "update rota.chain set base_seq = 1",
    "delete from rota.chain",
    (
        "insert into rota.act (id, namespace, at, who, verb, subject, detail, seq, hash)"
        " values (gen_random_uuid(), 'default', 0, 'x', 'x', 'x', '{}', 9, 'x')"
    ),
    "drop trigger act_stays on rota.act",
)


def test_the_audit_only_grows(logins: Logins, opened: Any) -> None:
    acts_at(opened(logins.server), logins, START_MS)
    for kind in ("server", "worker", "reader"):
        with psycopg.connect(logins.of(kind), autocommit=True) as connection:
            for text in AUDIT:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(text.encode())


def test_an_act_in_its_place_keeps_it(logins: Logins, opened: Any) -> None:
    store = opened(logins.server)
    acts_at(store, logins, START_MS)
    with (
        psycopg.connect(logins.server) as connection,
        pytest.raises(psycopg.errors.RaiseException, match="cannot be changed"),
    ):
        connection.execute(b"update rota.act set seq = 7")
    assert store.read(lambda tx: verify(tx, namespace=HOME)).is_good


def test_a_server_forgets_old_acts_and_no_young_ones(logins: Logins, opened: Any) -> None:
    """By the clock of the database, whatever clock and retention the server believes in."""
    store = opened(logins.server)
    ((now,),) = run_sql(logins.admin, "select cast(date_part('epoch', now()) * 1000 as bigint)")
    for days in (60, 20):
        acts_at(store, logins, now - days * DAY_MS)

    for _ in range(2):
        store.write(lambda tx: prune_acts(tx, keep_ms=0, limit=100))
        assert store.read(_places) == [3, 4]
    acts_at(store, logins, 0)  # as if they were old
    store.write(lambda tx: prune_acts(tx, keep_ms=0, limit=100))
    with psycopg.connect(logins.server, autocommit=True) as connection:
        connection.execute(b"select rota.move_base('default', 6), rota.forget_acts('default', 6)")

    assert store.read(_places) == [3, 4, 5, 6]
    assert store.read(lambda tx: verify(tx, namespace=HOME)).is_good


def _places(tx: Tx) -> list[int]:
    return sorted(row["seq"] for row in bare("act")(tx))


def test_days_are_made_and_dropped_by_a_server(logins: Logins) -> None:
    days = "select relname from pg_class where relname ~ '^attempt_[0-9]' and relkind = 'r'"
    last = max(name for (name,) in run_sql(logins.admin, days))
    run_sql(logins.admin, f"drop table rota.{last}")
    run_sql(logins.owner, "select rota.make_day('attempt', cast(86400000 as bigint) * 100)")
    assert ("attempt_19700411",) in run_sql(logins.admin, days)
    store = open_store(logins.server)
    store.rotate(keep_good_ms=7 * DAY_MS, keep_bad_ms=30 * DAY_MS)
    store.close()

    left = [name for (name,) in run_sql(logins.admin, days)]
    assert last in left
    assert "attempt_19700411" not in left


NO_DAYS = (
    "drop_day('run')",
    "drop_day('act')",
    "drop_day('attempt_rest')",
    "drop_day('attempt_20000101')",
    "drop_day('attempt_' || to_char(now() at time zone 'UTC', 'YYYYMMDD'))",
    "drop_day('attempt_20000101; drop table rota.run')",
    "make_day('act', 0)",
    "make_day('attempt', 1)",
    "make_day('attempt', 86400000)",
    "make_day('run_history; drop table rota.run', 0)",
)


def test_only_days_of_our_tables_come_and_go(logins: Logins) -> None:
    with psycopg.connect(logins.server, autocommit=True) as connection:
        for call in NO_DAYS:
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                connection.execute(f"select rota.{call}".encode())
