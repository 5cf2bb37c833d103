"""`rota db grant` and its kin, and real processes that log in with what it gave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.support.cli import Rota
from tests.support.logins import Logins, login_to, make_logins
from tests.support.postgres import PostgresServer, database_of

pytestmark = pytest.mark.postgres
TOKEN = "automation-token-0123456789-abcdef"


@pytest.fixture
def logins(postgres_server: PostgresServer) -> Iterator[Logins]:
    made = make_logins(postgres_server)
    yield made
    postgres_server.drop_database(made.admin)


@pytest.fixture
def rota(tmp_path: Path, logins: Logins) -> Rota:
    """Commands as the owner of the tables."""
    return Rota(tmp_path, ROTA_URL=logins.owner)


def test_processes_work_each_with_its_own_login(rota: Rota, logins: Logins) -> None:
    """Chores and the API as a server, jobs as a worker, looks as a reader; nobody as the owner."""
    api = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": TOKEN}
    as_server = {"ROTA_URL": logins.server}
    with (
        rota.serving("up", "shop.py", "--queues", "none", **api, **as_server) as house,
        rota.serving("worker", "shop.py", ROTA_URL=logins.worker) as worker,
    ):
        house.wait_for("server started")
        found = re.search(r"listens on (\S+)", house.text)
        assert found, house.text
        headers = {"Authorization": f"Bearer {TOKEN}"}
        told = httpx2.get(f"{found[1]}/api/v1/workers", headers=headers, timeout=20)
        run_id = rota.good("submit", "add", "1", "2", "--delay", "1s", **as_server).out.strip()
        rota.good("runs", "wait", run_id, ROTA_URL=logins.reader)
        failed = rota.good("submit", "boom", ROTA_URL=logins.worker).out.strip()
        assert rota("runs", "wait", failed, ROTA_URL=logins.reader).code == 7
        findings = rota("doctor", "--json").documents
        worker.process.terminate()
        assert worker.wait() == 0
        house.process.terminate()
        assert house.wait() == 0

    shown = rota.good("runs", "show", run_id, "--json", ROTA_URL=logins.reader).documents[0]
    letters = rota.good("dead", "--json", ROTA_URL=logins.reader).documents
    assert (shown["state"], shown["result"]) == ("success", 3)
    assert [letter["job"] for letter in letters] == ["boom"]
    assert told.status_code == 200, told.text
    by_check = {each["check"]: each for each in findings}
    assert by_check["logins"]["status"] == "ok"
    assert by_check["logins"]["found"].endswith("none of the owner")
    assert "permission denied" not in house.text + worker.text
    assert "failed" not in house.text


def test_the_doctor_tells_who_logs_in_as_the_owner(rota: Rota) -> None:
    with rota.serving("worker", "shop.py"):
        said = rota("doctor", "--json")
    found = {each["check"]: each for each in said.documents}["logins"]

    assert found["status"] == "warning", "others were granted"
    assert "the owner of the tables" in found["found"]
    assert "rota db grant" in found["advice"]


def test_a_granted_login_is_listed_changed_and_revoked(rota: Rota, logins: Logins) -> None:
    name = f"{database_of(logins.admin)}_worker"

    listed = rota.good("db", "logins", "--json").documents
    again = rota.good("db", "grant", name, "--as", "reader", "--namespaces", "b,a", "--json")
    changed = {each["login"]: each for each in rota.good("db", "logins", "--json").documents}
    refused = rota("submit", "add", "1", "--app", "shop.py", ROTA_URL=logins.worker)
    rota.good("db", "revoke", name)
    gone = rota("runs", ROTA_URL=logins.worker)
    twice = rota("db", "revoke", name)

    assert {each["as"] for each in listed} == {"server", "worker", "reader"}
    assert all(each["is_member"] for each in listed)
    assert again.documents[0]["namespaces"] == ["a", "b"]
    assert changed[name]["as"] == "reader"
    assert refused.code == 5
    assert "permission denied" in refused.err
    assert gone.code == 5
    assert twice.code == 2
    assert "Traceback" not in refused.err + gone.err + twice.err
    assert name not in rota.good("db", "logins").out


def test_without_logins_the_tables_are_as_before(rota: Rota, logins: Logins) -> None:
    for kind in ("server", "worker", "reader"):
        rota.good("db", "revoke", f"{database_of(logins.admin)}_{kind}")

    with psycopg.connect(logins.admin) as connection:
        forced = connection.execute(
            b"select relname from pg_class where relforcerowsecurity"
        ).fetchall()
    assert forced == []
    assert rota.good("db", "logins", "--json").documents == []
    assert rota.good("db", "logins").err == "none but the owner\n"
    assert rota.good("db", "protect", "--off").code == 0


def test_policies_stay_while_somebody_needs_them(rota: Rota) -> None:
    said = rota("db", "protect", "--off")

    assert said.code == 2
    assert "would see all namespaces" in said.err


def test_the_sql_can_be_printed_and_run_by_hand(rota: Rota, logins: Logins) -> None:
    name = f"{database_of(logins.admin)}_bi"
    grant = ("db", "grant", name, "--as", "reader", "--create")

    script = rota.good(*grant, "--print").out
    assert name not in rota.good("db", "logins").out, "nothing was done"
    with psycopg.connect(logins.admin, autocommit=True) as connection:
        connection.execute(script.encode())

    assert name in rota.good("db", "logins").out
    assert rota.good("runs", ROTA_URL=login_to(logins.admin, name)).code == 0


@pytest.mark.parametrize(
    ("who", "says"),
    [
        ("postgres", "is a superuser"),
        ("{name}_owner", "may create roles"),
        ("{name}_nobody", "there is no login"),
        ("rota_worker_{name}", "cannot log in"),
        ("pg_monitor", "is not a valid login name"),
    ],
)
def test_a_login_that_cannot_be_limited_is_refused(
    rota: Rota, logins: Logins, who: str, says: str
) -> None:
    said = rota("db", "grant", who.format(name=database_of(logins.admin)), "--as", "worker")

    assert said.code == 2
    assert says in said.err


def test_an_owner_that_may_not_create_roles_says_what_to_run(rota: Rota, logins: Logins) -> None:
    name = database_of(logins.admin)
    with psycopg.connect(logins.admin, autocommit=True) as connection:
        connection.execute(f"alter role {name}_owner nocreaterole".encode())
        connection.execute(f"create role {name}_late login".encode())
        first = rota("db", "grant", f"{name}_late", "--as", "server")
        statements = re.findall(r"((?:create role|grant) [^;]+);", first.err)
        for statement in statements:
            connection.execute(statement.encode())
    rota.good("db", "grant", f"{name}_late", "--as", "server")

    assert first.code == 5
    assert len(statements) == 2
    assert rota.good("workers", ROTA_URL=login_to(logins.admin, f"{name}_late")).code == 0


def test_a_login_that_may_not_migrate_says_who_has_to(tmp_path: Path, logins: Logins) -> None:
    with psycopg.connect(logins.admin, autocommit=True) as connection:
        connection.execute(b"delete from rota.migration where number = 28")
    said = Rota(tmp_path, ROTA_URL=logins.server)("worker", "shop.py")

    assert said.code == 5
    assert "lacks 0028_logins, and this login may not change it" in said.err
    assert "rota db migrate" in said.err


def test_sqlite_has_no_logins(local: Rota) -> None:
    said = local("db", "grant", "x", "--as", "worker")

    assert said.code == 2
    assert "SQLite has no logins" in said.err
