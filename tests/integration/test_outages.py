"""PostgreSQL that is cut off, silent, slow, full, crowded or read-only under a worker at work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rota.app import App, Run
from rota.errors import StoreUnavailable, UnknownRun
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from rota.store.postgres import store as postgres
from tests.contract.builders import run_sql
from tests.integration.conftest import FAST
from tests.integration.test_worker_leases import heard
from tests.support.calls import eventually
from tests.support.figures import tell
from tests.support.network import NOWHERE, Network
from tests.support.postgres import PostgresServer
from tests.support.trace_handlers import open_gate, traces, work_slowly

pytestmark = pytest.mark.postgres

FULL = """
create function rota.full_disk() returns trigger language plpgsql as
$$ begin raise exception 'could not extend file: No space left' using errcode = '53100'; end $$;
create trigger full_disk before insert on rota.run_history
    for each statement execute function rota.full_disk();
"""
CALM: dict[str, Any] = {"lease_ms": 4_000, "margin_ms": 1_000, "heartbeat_ms": 500}


def echo(number: int) -> int:
    return number


@pytest.fixture
def network(postgres_server: PostgresServer) -> Iterator[Network]:
    with Network(postgres_server.port) as network:
        yield network


def through(network: Network, server: PostgresServer, url: str) -> str:
    """The address of the same database, by way of the network."""
    database = url.partition("?")[0].rpartition("/")[2]
    return server.url(database, tcp=True).replace(f":{server.port}/", f":{network.port}/")


@contextmanager
def working(url: str, **options: Any) -> Iterator[tuple[App, Worker]]:
    with App(url) as app:
        app.job(echo)
        app.job(work_slowly)
        worker = app.worker(WorkerOptions(**FAST | CALM | options))
        worker.start()
        try:
            yield app, worker
        finally:
            worker.hurry()
            worker.stop()


def test_a_flapping_network_is_not_stormed_with_connections_and_work_goes_on(
    network: Network, postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        App(postgres_url) as client,
        working(through(network, postgres_server, postgres_url)),
    ):
        client.job(echo)
        began_s = time.monotonic()
        runs: list[Run[int]] = []
        while time.monotonic() - began_s < 6:
            network.cut()
            runs.append(client.find_job("echo").submit(len(runs)))
            time.sleep(0.5)
        connects = [at for at in network.connects if at > began_s + 1]
        per_s = len(connects) / (time.monotonic() - began_s - 1)
        tell(f"{per_s:.1f} connections a second")

        assert per_s < 5
        assert [run.result(timeout=20) for run in runs] == list(range(len(runs)))


def test_a_server_that_is_away_is_asked_now_and_then(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with Network(postgres_server.port) as network:
        url = through(network, postgres_server, postgres_url)
        with working(url) as (app, _):
            assert app.find_job("echo").submit(1).result(timeout=10) == 1
            network.target, began_s = NOWHERE, time.monotonic()
            network.cut()
            eventually(lambda: time.monotonic() - began_s > 4)
            asked = [at for at in network.connects if at > began_s]
            with pytest.raises(StoreUnavailable):
                app.find_job("echo").submit(2)
            refused_s = time.monotonic()
            network.target = postgres_server.port
            eventually(lambda: _submits(app))

            assert time.monotonic() - refused_s < 5
            assert 2 <= len(asked) < 4 * 5


def _submits(app: App) -> bool:
    try:
        return bool(app.find_job("echo").submit(3).result(timeout=10) == 3)
    except (StoreUnavailable, UnknownRun):  # submitted to the one server, asked of the other
        return False


def test_in_a_black_hole_a_worker_stops_its_work_in_time_and_comes_back(
    network: Network,
    postgres_server: PostgresServer,
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "BEAT_S", 2.0)
    trail, gate = tmp_path / "trail", tmp_path / "gate"
    with (
        App(postgres_url) as client,
        working(through(network, postgres_server, postgres_url)),
        heard("store.unavailable") as went,
        heard("store.recovered") as came,
    ):
        run = client.job(work_slowly).submit(str(trail), str(gate))
        eventually(lambda: traces(trail, "began"))
        network.is_silent, began_s = True, time.monotonic()
        eventually(lambda: traces(trail, "stopped"))
        took_s = time.monotonic() - began_s
        network.is_silent = False
        network.cut()  # what was swallowed would never be answered
        open_gate(gate)

        assert took_s < CALM["lease_ms"] / 1000
        assert run.result(timeout=20) == 1
        eventually(lambda: came)
        assert (len(went), len(came)) == (1, 1)


def test_a_silent_server_is_given_up_by_the_guard(
    network: Network,
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "ANSWER_S", 1.0)
    with App(through(network, postgres_server, postgres_url)) as app:
        run = app.job(echo).submit(1)
        network.is_silent, began_s = True, time.monotonic()
        with pytest.raises(StoreUnavailable):
            run.show()

        assert time.monotonic() - began_s < 15, "unless told otherwise it is 30 s"
        network.is_silent = False
        assert run.show().job == "echo"


def test_with_a_slow_server_nobody_is_taken_for_dead(
    network: Network, postgres_server: PostgresServer, postgres_url: str
) -> None:
    with working(through(network, postgres_server, postgres_url)) as (app, worker):
        network.delay_s = 0.05
        before = worker.id
        runs = app.find_job("echo").submit_many(range(20))
        assert [run.result(timeout=30) for run in runs[-3:]] == [17, 18, 19]
        network.delay_s = 0
        assert [run.result(timeout=10) for run in runs] == list(range(20))
        assert {run.show().fence for run in runs} == {1}
        assert worker.id == before


def test_results_wait_for_space_on_a_full_disk(postgres_url: str) -> None:
    with working(postgres_url) as (app, _), heard("store.unavailable") as went:
        run_sql(postgres_url, FULL)
        runs = app.find_job("echo").submit_many(range(5))
        eventually(lambda: went)
        states = {run.state for run in runs}
        run_sql(postgres_url, "drop trigger full_disk on rota.run_history")

        assert states <= {"queued", "running"}
        assert [run.result(timeout=20) for run in runs] == list(range(5))
        assert {run.show().fence for run in runs} == {1}
        assert "No space left" in went[0]["error"]


def test_when_connections_run_out_the_worker_waits_and_goes_on(bare_postgres_url: str) -> None:
    name = psycopg.conninfo.conninfo_to_dict(bare_postgres_url)["dbname"]
    run_sql(bare_postgres_url, "create role modest login connection limit 3")
    try:
        run_sql(bare_postgres_url, f"alter database {name} owner to modest")
        modest = bare_postgres_url.replace("//postgres@", "//modest@")
        with working(modest) as (app, worker), App(bare_postgres_url) as client:
            client.job(echo)
            runs = client.find_job("echo").submit_many(range(200))
            assert [run.result(timeout=30) for run in runs] == list(range(200))
            greedy = [psycopg.connect(modest) for _ in range(_free(modest))]
            with pytest.raises(StoreUnavailable, match="too many connections"), App(modest) as late:
                late.store  # noqa: B018
            for each in greedy:
                each.close()

            assert client.find_job("echo").submit(7).result(timeout=20) == 7
            assert worker.id
            assert app.url == modest
    finally:
        run_sql(bare_postgres_url, f"alter database {name} owner to postgres")
        run_sql(bare_postgres_url, "reassign owned by modest to postgres")
        run_sql(bare_postgres_url, "drop owned by modest")
        run_sql(bare_postgres_url, "drop role modest")


def _free(url: str) -> int:
    """How many more connections the role may have."""
    taken = 0
    held = []
    try:
        while True:
            held.append(psycopg.connect(url))
            taken += 1
    except psycopg.OperationalError:
        return taken
    finally:
        for each in held:
            each.close()


@pytest.mark.slow
def test_the_writable_one_of_several_servers_is_followed(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    with PostgresServer() as other:
        with psycopg.connect(other.url(), autocommit=True) as session:
            session.execute(f"create database {name}".encode())
        App(other.url(name)).store.close()
        hosts = f"{quoted(postgres_server)},{quoted(other)}"
        ports = f"{postgres_server.port},{other.port}"
        url = f"postgresql://postgres@/{name}?host={hosts}&port={ports}"
        with working(url) as (app, _):
            assert app.find_job("echo").submit(1).result(timeout=10) == 1
            demote(postgres_server, "on")
            try:
                eventually(lambda: _submits(app))
            finally:
                demote(postgres_server, "off")

        assert run_sql(other.url(name), "select count(*) from rota.run_history")[0][0] >= 1


def quoted(server: PostgresServer) -> str:
    return str(server.folder).replace("/", "%2F")


def demote(server: PostgresServer, value: str) -> None:
    """What a failover does to the old primary, without a restart: it becomes read-only."""
    with psycopg.connect(server.url(), autocommit=True) as session:
        session.execute(b"set transaction_read_only = off")
        session.execute(f"alter system set default_transaction_read_only = {value}".encode())
        session.execute(b"select pg_reload_conf()")
