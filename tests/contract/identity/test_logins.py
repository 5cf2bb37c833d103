"""Logins: each kind has exactly the rights that its table says, by the catalog and by trying."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import psycopg
import pytest

from rota.ids import new_id
from rota.store.access.rights import COLUMNS, KINDS, RIGHTS, VERBS, WORKER_SEEN, Rights
from rota.store.access.row_security import condition_of
from rota.store.migrate import migrate
from rota.store.open import connect
from rota.store.postgres.dialect import DIALECT
from rota.store.statements import load
from tests.contract.builders import HOME, TABLES, run_sql
from tests.support.logins import Logins
from tests.support.postgres import database_of

pytestmark = pytest.mark.postgres
PART = "log_chunk_rest"
"""The one partition that a statement names."""
EVERY = sorted({*TABLES, "migration", "schema_step", "login", PART})


def rights_of(kind: str, table: str) -> dict[str, set[str] | None]:
    """The verbs that are allowed, with the columns they are allowed for; None for all."""
    of = COLUMNS.get(table, {}).get(kind, {})
    some: dict[str, set[str] | None] = {VERBS[letter]: set(each) for letter, each in of.items()}
    return {VERBS[letter]: None for letter in getattr(RIGHTS.get(table, Rights()), kind)} | some


def columns_of(logins: Logins) -> dict[str, list[str]]:
    found = defaultdict(list)
    for table, column in run_sql(
        logins.admin,
        "select table_name, column_name from information_schema.columns"
        " where table_schema = 'rota' order by ordinal_position",
    ):
        found[table].append(column)
    return found


def test_each_table_has_an_entry(logins: Logins) -> None:
    """Also the next one that a migration brings; without one nobody but the owner can use it."""
    tables = {
        name
        for (name,) in run_sql(
            logins.admin,
            "select relname from pg_class where relnamespace = 'rota'::regnamespace"
            " and relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition",
        )
    }

    assert tables == {*RIGHTS, *COLUMNS} - {PART}
    for table, of in COLUMNS.items():
        for kind, letters in of.items():
            whole = getattr(RIGHTS.get(table, Rights()), kind)
            assert not set(letters) & set(whole), (table, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_catalog_says_the_same(logins: Logins, kind: str) -> None:
    login = f"{database_of(logins.admin)}_{kind}"
    found = {
        (table, column, verb.lower())
        for table, column, verb in run_sql(
            logins.admin,
            "select c.relname, a.attname, v.verb from pg_class as c"
            " join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped"
            " cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('REFERENCES')) as v (verb)"
            " where c.relnamespace = 'rota'::regnamespace and c.relkind in ('r', 'p')"
            f" and has_column_privilege('{login}', c.oid, a.attnum, v.verb)",
        )
    } | {
        (table, "", verb.lower())
        for table, verb in run_sql(
            logins.admin,
            "select c.relname, v.verb from pg_class as c"
            " cross join (values ('DELETE'), ('TRUNCATE'), ('TRIGGER')) as v (verb)"
            " where c.relnamespace = 'rota'::regnamespace and c.relkind in ('r', 'p')"
            f" and has_table_privilege('{login}', c.oid, v.verb)",
        )
    }

    wanted = set()
    for table, columns in columns_of(logins).items():
        if table in EVERY:
            for verb, some in rights_of(kind, table).items():
                for column in [""] if verb == "delete" else some or columns:
                    wanted.add((table, column, verb))
    assert found == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_tried_is_allowed_or_refused_as_the_table_says(logins: Logins, kind: str) -> None:
    first = {table: columns[0] for table, columns in columns_of(logins).items()}
    wrong = []
    with psycopg.connect(logins.of(kind)) as connection:
        for table in EVERY:
            rights = rights_of(kind, table)
            tried = {
                "select": f"select {_some(rights, 'select', first[table])} from rota.{table}",
                "insert": f"insert into rota.{table} ({_some(rights, 'insert', first[table])})"
                " select null where false",
                "update": f"update rota.{table} set"
                f" {_some(rights, 'update', first[table])} = null where false",
                "delete": f"delete from rota.{table} where false",
                "truncate": f"truncate rota.{table}",
                "alter": f"alter table rota.{table} add column x int",
                "drop": f"drop table rota.{table}",
            }
            for verb, text in tried.items():
                # A condition that reads nothing: the right to select is asked for by itself.
                is_allowed = _is_allowed(connection, text)
                if is_allowed is not (verb in rights):
                    wrong.append((table, verb, is_allowed))
    assert wrong == []


def _some(rights: dict[str, set[str] | None], verb: str, first: str) -> str:
    return min(rights.get(verb) or {first})


def _is_allowed(connection: psycopg.Connection, text: str) -> bool:
    try:
        connection.execute(text.encode())
    except psycopg.errors.InsufficientPrivilege:
        return False
    except psycopg.errors.DatatypeMismatch:
        return True
    finally:
        connection.rollback()
    return True


@pytest.mark.parametrize("kind", ["worker", "reader"])
def test_keys_of_remote_workers_are_for_servers(logins: Logins, kind: str) -> None:
    hidden = {*columns_of(logins)["worker"]} - {*WORKER_SEEN}
    assert hidden == {"attempt_key", "token_id"}, "a new column needs an entry in store.rights"
    with psycopg.connect(logins.of(kind)) as connection:
        for column in sorted(hidden):
            for text in (
                f"select {column} from rota.worker",
                f"select 1 from rota.worker where cast({column} as text) like 'a%'",
                f"update rota.worker set {column} = null",
                f"delete from rota.worker returning {column}",
                f"copy rota.worker ({column}) to stdout",
            ):
                assert not _is_allowed(connection, text), text


def test_a_migration_takes_the_keys_from_logins_and_lets_none_stay_good(logins: Logins) -> None:
    """As 0.1.0 left it: whoever could read the table has the keys."""
    worker = f"{database_of(logins.admin)}_reader"
    (group,) = run_sql(logins.admin, f"select role from rota.login where name = '{worker}'")[0]
    run_sql(
        logins.admin,
        f"grant select on rota.worker to {group}; delete from rota.schema_step where number = 46;"
        "insert into rota.worker (id, namespace, name, host, pid, queues, slots, version,"
        f" started_at, seen_at, lease_until, attempt_key)"
        f" values ('{new_id()}', '{HOME}', 'w', 'h', 1, '[]', 1, '1', 1, 1, 1, 'aa')",
    )
    with psycopg.connect(logins.reader) as connection:
        assert _is_allowed(connection, "select attempt_key from rota.worker")

    store = connect(logins.owner)
    store.write(lambda tx: migrate(tx, DIALECT))  # without a look at the roles
    store.close()

    with psycopg.connect(logins.reader) as connection:
        assert not _is_allowed(connection, "select attempt_key from rota.worker")
        assert _is_allowed(connection, "select lease_until from rota.worker")
    assert run_sql(logins.admin, "select attempt_key from rota.worker") == []


@pytest.mark.parametrize("kind", KINDS)
def test_partitions_are_reached_through_the_whole_only(logins: Logins, kind: str) -> None:
    names = run_sql(
        logins.admin,
        "select relname from pg_class where relnamespace = 'rota'::regnamespace"
        f" and relispartition and relkind in ('r', 'p') and relname <> '{PART}'",
    )

    assert len(names) > 10
    with psycopg.connect(logins.of(kind)) as connection:
        allowed = [name for (name,) in names if _is_allowed(connection, f"select from rota.{name}")]
    assert allowed == []


MORE = (
    "create table rota.mine (id int)",
    "create function rota.mine() returns int language sql as 'select 1'",
    "drop policy room on rota.run",
    "drop policy login on rota.run",
    "alter table rota.run disable row level security",
    "alter table rota.run no force row level security",
    "alter table rota.act disable trigger all",
    "insert into rota.login (name, kind, role, namespaces) values ('x', 'worker', '', '{{*}}')",
    "update rota.login set namespaces = '{{*}}'",
    "set session authorization postgres",
    "set session_replication_role = replica",
    "set role {owner}",
)
FEW_MORE = (
    "set row_security = off; select * from rota.run",
    "set role rota_server_{name}",
    "set role rota_house_{name}",
    "select rota.keep_values('[]', 0)",
    "select rota.move_base('default', 1)",
    "select rota.search_own_logs('', '', 0, 1, 0)",
)
"""What a server may."""


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_gets_more_by_asking(logins: Logins, kind: str) -> None:
    name = database_of(logins.admin)
    asked = MORE if kind == "server" else (*MORE, *FEW_MORE)
    with psycopg.connect(logins.of(kind), autocommit=True) as connection:
        for text in asked:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(text.format(name=name, owner=f"{name}_owner").encode())


def test_a_server_has_no_right_that_no_statement_needs() -> None:
    needed = needs()
    needed["login"].remove("delete")  # by the owner
    needed["act"].remove("delete")  # by rota.forget_acts

    for table in EVERY:
        assert set(rights_of("server", table)) - {"select"} == needed[table] - {"select"}, table


def needs() -> dict[str, set[str]]:
    """What the statements do with each table."""
    found: dict[str, set[str]] = defaultdict(set)
    for statement in load(DIALECT).values():
        text = re.sub(r"\s+", " ", statement.text)
        for table in re.findall(r"insert into rota\.(\w+)", text):
            found[table].add("insert")
            if re.search(r"on conflict .* do update", text):
                found[table].add("update")
        for table in re.findall(r"(?<!do )update rota\.(\w+)", text):
            found[table].add("update")
        for table in re.findall(r"delete from rota\.(\w+)", text):
            found[table].add("delete")
        for table in re.findall(r"(?<!delete )(?:from|join) rota\.(\w+)(?!\w*\()", text):
            found[table].add("select")
    return found


def test_all_are_below_the_policies(logins: Logins) -> None:
    name = database_of(logins.admin)
    roles: list[tuple[Any, ...]] = run_sql(
        logins.admin,
        "select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication"
        f" from pg_roles where rolname ~ '{name}'",
    )
    owned = run_sql(
        logins.admin,
        "select c.relname from pg_class as c join pg_roles as r on r.oid = c.relowner"
        f" where c.relnamespace = 'rota'::regnamespace and r.rolname <> '{name}_owner'",
    )

    assert {role for role, is_above in roles if is_above} == {f"{name}_owner"}
    assert len(roles) == 8, "the owner, three logins, their groups, and the role of requests"
    assert owned == []


def test_policies_are_forced_on_each_table_of_tenants(logins: Logins) -> None:
    tables = run_sql(
        logins.admin,
        "select c.relname, c.relrowsecurity, c.relforcerowsecurity,"
        "       exists (select from pg_attribute a where a.attrelid = c.oid"
        "                  and a.attname = 'namespace' and not a.attisdropped),"
        "       (select array_agg(cast(polname as text) order by polname) from pg_policy"
        "         where polrelid = c.oid)"
        "  from pg_class as c where c.relnamespace = 'rota'::regnamespace"
        "   and c.relkind in ('r', 'p') and not c.relispartition",
    )

    for table, is_on, is_forced, has_namespace, policies in tables:
        if condition_of(table, has_namespace=has_namespace) is not None:
            assert (is_on, is_forced) == (True, True), table
            assert policies == ["everybody", "login", "room"], table


def test_functions_with_the_rights_of_the_owner_are_closed(logins: Logins) -> None:
    found = run_sql(
        logins.admin,
        "select proname, proconfig, proacl, has_function_privilege('public', oid, 'execute')"
        "  from pg_proc where pronamespace = 'rota'::regnamespace and prosecdef",
    )

    assert len(found) == 11
    for name, config, _, is_public in found:
        assert config == ["search_path=pg_catalog, pg_temp"], name
        assert not is_public, name
