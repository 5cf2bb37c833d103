"""Rooms: inside one, PostgreSQL itself hides what belongs to other namespaces (ADR 26)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rota.engine.admission.queues import pause
from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.namespaces import put_namespace
from rota.engine.identity.tokens import NewToken, issue
from rota.engine.insight.doctor import examine
from rota.engine.jobs.definitions import define
from rota.engine.logs import append, index, search
from rota.engine.runs.find import attempts, find
from rota.engine.runs.submit import submit
from rota.engine.values.artifacts import keep, load_kept
from rota.errors import BadOption, RoomsRefused, UnknownRun
from rota.ids import new_id
from rota.model.identity.credentials import Quotas
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.logs.log import LogChunk
from rota.model.runs.run import FinishVerb
from rota.operations.identity.new_tokens import draw_token
from rota.rules.insight.checkup import Finding
from rota.store.access.row_security import CLOSED, condition_of, whole_tables
from rota.store.base import Store, Tx
from rota.store.open import open_store, set_protection
from tests.contract.builders import (
    ERROR,
    HOME,
    START_MS,
    TABLES,
    Clock,
    claim_some,
    finish_all,
    given_run,
    given_worker,
    new_run,
    run_sql,
    verdict,
)
from tests.support.postgres import PostgresServer

OTHER = "acme"
SPEC = JobSpec(name="noop", target=PythonTarget(ref="m:f"))
KEPT = "x" * 200_000
pytestmark = pytest.mark.postgres


@pytest.fixture
def furnished(postgres_store: Store) -> Store:
    """Two namespaces, in each of them something in every table that a request often touches."""
    for namespace in (HOME, OTHER):
        furnish(postgres_store, namespace)
    return postgres_store


def furnish(store: Store, namespace: str) -> None:
    by = Actor(act_id=new_id(), who="ann")
    store.write(lambda tx: define(tx, SPEC, namespace=namespace))
    worker = given_worker(store, namespace=namespace)
    _end(store, worker, "retry", namespace)
    run_id = _end(store, worker, "succeed", namespace)
    store.write(lambda tx: pause(tx, "slow", namespace=namespace, note=""))
    store.write(lambda tx: record(tx, by, namespace=namespace, verb="try", subject="", detail={}))
    store.write(lambda tx: put_namespace(tx, namespace, Quotas()))
    chunk = LogChunk(
        run_id=run_id, job="noop", attempt=1, fence=1, seq=1, first_at=START_MS,
        marks="[1,0,1,0]", body="the tide",
    )  # fmt: skip
    store.write(lambda tx: append(tx, [chunk], namespace=namespace))
    run_sql(
        store.url,
        "insert into rota.node (graph_id, name, state, counts)"
        f" values ('{run_id}', '', 'success', '[]')",
    )


def _end(store: Store, worker: str, verb: FinishVerb, namespace: str) -> str:
    run_id = given_run(store, namespace=namespace, key=verb)
    (lease,) = claim_some(store, worker, namespace=namespace)
    ended = verdict(lease, verb, kind="error", error=ERROR, delay_ms=1_000)
    finish_all(store, [ended], namespace=namespace)
    return run_id


def bare(table: str) -> Callable[[Tx], list[Any]]:
    """A statement that forgets to ask for a namespace."""
    return lambda tx: [dict(row) for row in tx.raw(f"select * from rota.{table}")]


FURNISHED = (
    "act", "attempt", "job", "job_version", "log_chunk", "namespace", "node", "queue", "run",
    "run_history", "run_key", "worker",
)  # fmt: skip


@pytest.mark.parametrize("table", FURNISHED)
def test_a_statement_that_forgets_the_namespace_sees_its_own_rows_only(
    furnished: Store, table: str
) -> None:
    everything = furnished.read(bare(table))
    mine, theirs = (furnished.scoped([each]).read(bare(table)) for each in (HOME, OTHER))
    both = furnished.scoped([HOME, OTHER]).read(bare(table))

    assert len(mine) == len(theirs) == len(everything) / 2 > 0
    assert {str(row) for row in mine} | {str(row) for row in theirs} == {
        str(row) for row in everything
    }
    assert len(both) == len(everything)
    column = "name" if table == "namespace" else "namespace"
    assert {row.get(column, HOME) for row in mine} == {HOME}


@pytest.mark.parametrize("table", FURNISHED)
def test_without_a_namespace_there_is_nothing(furnished: Store, table: str) -> None:
    assert furnished.scoped([]).read(bare(table)) == []
    assert furnished.scoped(["nobody"]).read(bare(table)) == []


def test_a_session_that_was_in_a_room_is_as_before(furnished: Store) -> None:
    """All of these use one connection after the other, from the same pool."""
    for _ in range(8):  # more often than it takes until a statement is prepared
        for namespace in (HOME, OTHER):
            room = furnished.scoped([namespace])
            assert {row["namespace"] for row in room.read(bare("run"))} == {namespace}
        assert {row["namespace"] for row in furnished.read(bare("run"))} == {HOME, OTHER}


def test_rows_of_others_are_neither_made_nor_changed_nor_deleted(furnished: Store) -> None:
    room = furnished.scoped([OTHER])
    before = furnished.read(bare("run"))

    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        room.write(lambda tx: submit(tx, [new_run()], namespace=HOME))
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        room.write(lambda tx: tx.raw(f"update rota.run set namespace = '{HOME}'"))
    room.write(lambda tx: tx.raw(f"delete from rota.run where namespace = '{HOME}'"))
    room.write(lambda tx: tx.raw(f"update rota.run set job = 'y' where namespace = '{HOME}'"))

    assert furnished.read(bare("run")) == before


def test_a_ticket_is_for_a_token_of_the_same_namespace(furnished: Store) -> None:
    tokens = {each: draw_token(each, roles=("admin",)).token for each in (HOME, OTHER)}
    for namespace, token in tokens.items():
        furnished.write(partial(issue, token=token, namespace=namespace, who="ann"))
    room = furnished.scoped([OTHER])

    def give(token: NewToken) -> None:
        ticket = {"digest": token.name, "purpose": "login", "token_id": token.id, "ttl_ms": 1_000}
        room.write(lambda tx: tx.execute("insert_ticket", **ticket))

    give(tokens[OTHER])
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        give(tokens[HOME])


@pytest.mark.parametrize(
    "text",
    [
        "update rota.act set who = 'nobody'",
        "delete from rota.act",
        "update rota.chain set seq = 0",
        "insert into rota.namespace (name, created_at) values ('mine', 0)",
        "select * from rota.artifact",
        "select * from rota.ticket",
        "insert into rota.migration (number, name, digest) values (999, '', '')",
        "select * from rota.run_history_good_rest",
        "select * from rota.log_chunk_rest",
        "create table rota.mine (id int)",
        "drop policy room on rota.run",
        "alter table rota.run disable row level security",
    ],
)
def test_a_room_has_no_rights_beyond_its_rows(furnished: Store, text: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        furnished.scoped([HOME]).write(lambda tx: tx.raw(text))


def test_verbs_work_inside_as_they_do_outside(furnished: Store) -> None:
    room = furnished.scoped([OTHER])
    run_id = room.write(lambda tx: submit(tx, [new_run()], namespace=OTHER))[0].id
    theirs = next(row["id"] for row in furnished.read(bare("run")) if row["namespace"] == HOME)
    failed = next(row["run_id"] for row in room.read(bare("attempt")))

    assert room.read(lambda tx: find(tx, run_id, namespace=OTHER)).job == "noop"
    assert len(room.read(lambda tx: attempts(tx, failed, namespace=OTHER))) == 1
    with pytest.raises(UnknownRun):
        room.read(lambda tx: find(tx, theirs, namespace=HOME))


def test_lines_are_searched_by_their_index_and_those_of_others_not_found(furnished: Store) -> None:
    def lines(namespace: str, room: str) -> int:
        look = furnished.scoped([room]).read
        found = look(
            lambda tx: search(tx, "tide", namespace=namespace, job=None, since=0, limit=10)
        )
        return len(list(found))

    for _ in ("fresh", "indexed"):
        assert lines(HOME, HOME) == lines(OTHER, OTHER) == 1
        assert lines(HOME, OTHER) == lines(OTHER, HOME) == 0
        furnished.write(lambda tx: index(tx, limit=10))


def test_large_values_are_kept_and_had_by_who_knows_their_name(furnished: Store) -> None:
    rooms = [furnished.scoped([each]) for each in (HOME, OTHER)]
    pointers = [room.write(lambda tx: keep(tx, [KEPT])) for room in rooms]

    assert pointers[0] == pointers[1], "the same value is there once"
    pointer = pointers[0][KEPT]
    assert rooms[0].read(lambda tx: load_kept(tx, [pointer])) == {pointer: KEPT}


def test_each_table_has_a_rule(postgres_store: Store) -> None:
    """Also the next one that a migration brings: without a rule nobody has rights to it."""
    tables = postgres_store.read(whole_tables)
    names = {row["name"] for row in tables}

    assert names == {*TABLES, "migration", "schema_step", "login"}
    for row in tables:
        if row["name"] == "login":
            continue  # has a rule of its own: everybody sees the own row
        condition = condition_of(row["name"], has_namespace=row["has_namespace"])
        assert (condition is None) is (row["name"] in CLOSED), f"what of {row['name']}?"
        assert row["is_on"] is (condition is not None)
        assert (row["digest"] is None) is (condition is None)


def test_protecting_twice_changes_nothing(postgres_store: Store) -> None:
    def policies() -> list[tuple[Any, ...]]:
        return run_sql(postgres_store.url, "select oid from pg_policy order by oid")

    before = policies()
    set_protection(postgres_store.url)

    assert policies() == before


def finding(store: Store) -> Finding:
    findings = store.read(lambda tx: examine(tx, host_ms=START_MS, facts={}))
    return next(each for each in findings if each.check == "row-level security")


def test_a_login_that_may_not_create_roles_goes_on_without(postgres_server: PostgresServer) -> None:
    admin = postgres_server.create_database()
    name = psycopg.conninfo.conninfo_to_dict(admin)["dbname"]
    run_sql(admin, f"create role {name}_app login; grant create on database {name} to {name}_app")
    url = admin.replace("postgres@", f"{name}_app@")

    store = open_store(url, clock=Clock())
    furnish(store, OTHER)
    seen = store.scoped([HOME]).read(bare("run"))
    warned = finding(store)
    with pytest.raises(RoomsRefused, match="may not create roles") as refused:
        set_protection(url)
    for statement in re.findall(r"((?:create role|grant) [^;]+);", str(refused.value)):
        run_sql(admin, statement)
    set_protection(url)
    store.close()
    later = open_store(url, clock=Clock())

    assert len(seen) == 1, "rows of others, since nobody hides them"
    assert warned.status == "warning"
    assert "rota db protect" in warned.advice
    assert finding(later).status == "ok"
    assert finding(later).found.startswith("on, for ")
    assert later.scoped([HOME]).read(bare("run")) == []
    assert len(later.scoped([OTHER]).read(bare("run"))) == 1
    assert len(later.read(bare("run"))) == 1, "the house sees all"
    later.close()
    postgres_server.drop_database(admin)


def test_a_login_that_may_create_roles_does_it_by_itself(postgres_server: PostgresServer) -> None:
    admin = postgres_server.create_database()
    name = psycopg.conninfo.conninfo_to_dict(admin)["dbname"]
    run_sql(admin, f"create role {name}_app login createrole")
    run_sql(admin, f"grant create on database {name} to {name}_app")

    store = open_store(admin.replace("postgres@", f"{name}_app@"), clock=Clock())
    for namespace in (HOME, OTHER):
        furnish(store, namespace)

    assert finding(store).status == "ok"
    assert {row["namespace"] for row in store.scoped([OTHER]).read(bare("run"))} == {OTHER}
    assert {row["namespace"] for row in store.read(bare("run"))} == {HOME, OTHER}
    store.close()
    postgres_server.drop_database(admin)


def test_row_security_can_be_switched_off_and_given_another_role(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.create_database()
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    open_store(url, clock=Clock()).close()
    run_sql(url, f"create role {name}_high superuser")

    set_protection(url, is_on=False)
    store = open_store(url, clock=Clock())
    assert finding(store).status == "warning"
    assert store.scoped([HOME]) is store
    store.close()
    with pytest.raises(BadOption, match="bypasses row-level security"):
        set_protection(url, role=f"{name}_high")
    assert set_protection(url, role=f"{name} web") == f"{name} web"
    again = open_store(url, clock=Clock())
    furnish(again, OTHER)
    assert again.scoped([HOME]).read(bare("run")) == []
    again.close()
    postgres_server.drop_database(url)


def test_on_sqlite_there_is_no_such_thing(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="SQLite has no roles"):
        set_protection(f"sqlite:///{tmp_path}/rota.db")
