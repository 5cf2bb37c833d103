"""The throw-away PostgreSQL keeps its promises: private, restartable, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support import postgres_binaries
from tests.support.postgres import PostgresServer

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("postgres_binaries")


@pytest.fixture(scope="module")
def server(postgres_binaries: Path) -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def ask(url: str, question: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(question.encode()).fetchone()
    return row[0] if row else None


def becomes_true(condition: Callable[[], bool], *, within_s: float = 20) -> bool:
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_the_socket_and_the_loopback_port_lead_to_the_same_server(server: PostgresServer) -> None:
    by_socket = ask(server.url(), "select pg_postmaster_start_time()")
    by_port = ask(server.url(tcp=True), "select pg_postmaster_start_time()")

    assert by_socket == by_port
    assert ask(server.url(), "select inet_client_addr() is null") is True
    assert ask(server.url(tcp=True), "select host(inet_client_addr())") == "127.0.0.1"


def test_the_port_is_closed_to_those_without_the_password(server: PostgresServer) -> None:
    url = server.url(tcp=True).replace(server.password, "guess")

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url)


def test_nobody_else_may_enter_the_folder(server: PostgresServer) -> None:
    assert server.folder.stat().st_mode & 0o077 == 0


def test_each_database_is_new_and_empty_until_it_is_dropped(server: PostgresServer) -> None:
    first, second = server.create_database(), server.create_database()
    with psycopg.connect(first) as connection:
        connection.execute("create table mine (id int)")

    found = ask(second, "select to_regclass('mine')")
    server.drop_database(first)

    assert found is None
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(first)


def test_a_database_can_be_the_template_of_others(server: PostgresServer) -> None:
    template = server.create_database()
    with psycopg.connect(template) as connection:
        connection.execute("create table mine as select 7 as n")
    name = psycopg.conninfo.conninfo_to_dict(template)["dbname"]

    copy = server.create_database(template=str(name))

    assert ask(copy, "select n from mine") == 7


@pytest.mark.parametrize("end", [PostgresServer.kill, PostgresServer.stop])
def test_committed_rows_are_there_after_a_restart_at_the_same_address(
    server: PostgresServer, end: Callable[[PostgresServer], None]
) -> None:
    url = server.create_database()
    tcp = server.url(tcp=True)
    with psycopg.connect(url) as connection:
        connection.execute("create table mine as select 7 as n")

    end(server)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(tcp)
    server.start()

    assert ask(url, "select n from mine") == 7
    assert ask(tcp, "select 1") == 1


def test_settings_of_the_caller_win() -> None:
    with PostgresServer(fsync=True, settings={"max_connections": "17"}) as server:
        assert ask(server.url(), "show fsync") == "on"
        assert ask(server.url(), "show max_connections") == "17"


def test_an_error_in_the_block_ends_the_server_and_removes_its_folder() -> None:
    server = PostgresServer()
    seen: list[tuple[int | None, Path]] = []

    with pytest.raises(ZeroDivisionError):
        divide_by_zero_inside(server, seen)

    [(pid, folder)] = seen
    assert pid is not None
    assert not psutil.pid_exists(pid)
    assert not folder.exists()


def divide_by_zero_inside(server: PostgresServer, seen: list[tuple[int | None, Path]]) -> None:
    with server:
        seen.append((server.pid, server.folder))
        raise ZeroDivisionError


def test_a_server_whose_maker_was_killed_is_ended_and_removed() -> None:
    code = (
        "from tests.support.postgres import PostgresServer\n"
        "import signal\n"
        "with PostgresServer() as server:\n"
        "    print(server.pid, server.folder, flush=True)\n"
        "    signal.pause()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) as maker:
        assert maker.stdout is not None
        pid, folder = maker.stdout.readline().split()
        postmaster = psutil.Process(int(pid))

        os.kill(maker.pid, signal.SIGKILL)

    assert becomes_true(lambda: not is_alive(postmaster))
    assert becomes_true(lambda: not Path(os.fsdecode(folder)).exists())


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_gets_an_empty_store(store_url: str, turn: int) -> None:
    """Twice: the second must not find what the first has left."""
    if store_url.startswith("sqlite:///"):
        path = Path(store_url.removeprefix("sqlite:///"))
        assert not path.exists()
        path.write_bytes(b"left behind")
    else:
        assert ask(store_url, "select to_regclass('left_behind')") is None
        with psycopg.connect(store_url) as connection:
            connection.execute("create table left_behind (id int)")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must become somebody else")
def test_root_without_user_namespaces_runs_the_server_as_another_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres_binaries, "_has_user_namespaces", lambda: False)
    identity = postgres_binaries.server_identity.__wrapped__()
    monkeypatch.setattr("tests.support.postgres.server_identity", lambda: identity)

    with PostgresServer() as server:
        assert ask(server.url(), "select 1") == 1
        assert psutil.Process(server.pid).uids().effective == identity.user != 0
