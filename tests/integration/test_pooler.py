"""Behind a real PgBouncer that shares out its sessions by the transaction, with its plain address.

What a session could remember (prepared statements, LISTEN, settings, locks) belongs to whoever
comes next there.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from rota.app import App
from rota.engine import wakeup_keys as keys
from rota.engine.runs.submit import submit
from rota.engine.wakeup_keys import queue_key
from rota.errors import StoreUnavailable
from rota.model.states import State
from rota.rules.insight.checkup import line
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from rota.store.base import Store, Tx
from rota.store.open import connect, open_store
from rota.store.postgres import listener as postgres_listener
from rota.store.postgres import notify as postgres_wakeups
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.libpq import PREPARED_AFTER, handle_of
from rota.store.postgres.listener import Listener
from rota.store.wakeups import EVERYWHERE
from tests.contract.builders import HOME, new_run, run_sql
from tests.integration.conftest import FAST
from tests.integration.test_worker_leases import heard
from tests.support.calls import eventually
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer, database_of
from tests.support.trace_handlers import open_gate, traces, work_slowly

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("pgbouncer_program")]

OFTEN = PREPARED_AFTER + 3
RUNS = 3_000
DEAF = {"poll_ms": 600_000}
"""A worker that looks by itself every ten minutes: what it does sooner it was woken for."""


@contextmanager
def behind(
    server: PostgresServer, url: str, *, pool: int = 4, **settings: str
) -> Iterator[tuple[str, PgBouncer]]:
    """The plain address of a database behind a pooler with so many server connections."""
    with PgBouncer(server, pool=pool, settings=settings) as bouncer:
        yield bouncer.url(database_of(url)), bouncer


@pytest.fixture
def bouncer(postgres_server: PostgresServer, postgres_url: str) -> Iterator[PgBouncer]:
    with PgBouncer(postgres_server) as bouncer:
        yield bouncer


@pytest.fixture
def pooled_url(bouncer: PgBouncer, postgres_url: str) -> str:
    return bouncer.url(database_of(postgres_url))


@contextmanager
def opened(*urls: str) -> Iterator[list[Store]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(open_store(url))) for url in urls]


def unnoticed(self: Connector, connection: Connection) -> None:
    """As if a pooler passed the numbers of the server on, or chance had made them the same."""
    connection.is_ours = not self.is_shared
    connection.libpq.prepares = connection.is_ours


def insert_run(store: Store) -> str:
    run = new_run()
    store.write(lambda tx: submit(tx, [run], namespace=HOME))
    return run.id


def run_count(tx: Tx) -> int:
    return int(tx.raw("select count(*) as n from rota.run")[0]["n"])


def prepared(url: str) -> list[str]:
    with psycopg.connect(url, autocommit=True) as connection:
        return [row[0] for row in connection.execute("select name from pg_prepared_statements")]


def test_a_name_of_a_statement_is_made_of_its_text() -> None:
    one, other = handle_of(b"select 1"), handle_of(b"select 2")

    assert one == handle_of(b"select 1") != other
    assert len(one) < 63, "PostgreSQL cuts longer names off"


def test_two_processes_with_different_statements_never_meet_in_one_session(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    """One that only reads must never run a statement of the other."""
    with (
        behind(postgres_server, postgres_url, pool=1) as (url, _),
        opened(url, url) as (writer, reader),
    ):
        ids = [insert_run(writer) for _ in range(OFTEN)]
        for _ in range(OFTEN):
            assert reader.read(lambda tx: tx.one("now")) is not None
            assert reader.read(lambda tx: tx.all("all_paused_queues")) == []
            ids.append(insert_run(writer))
            assert reader.read(run_count) == len(ids)

        assert prepared(url) == [], "a pooler was noticed, so nothing is prepared"


@pytest.mark.parametrize("pool", [1, 3])
@pytest.mark.parametrize("reset", ["0", "1"])
def test_a_pooler_that_nobody_noticed_never_makes_a_statement_another(
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    pool: int,
    reset: str,
) -> None:
    """Statements are prepared in sessions that others have next, or that forget them."""
    monkeypatch.setattr(Connector, "_settle_in", unnoticed)
    with behind(postgres_server, postgres_url, pool=pool, server_reset_query_always=reset) as (
        url,
        _,
    ):
        submitted: list[str] = []

        def submit_some(store: Store) -> None:
            for turn in range(4 * OFTEN):
                submitted.append(insert_run(store))
                if turn % 3 == 0:
                    run = new_run()
                    store.write(lambda tx, run=run: submit(tx, [run], namespace=HOME), lone=True)  # type: ignore[misc]
                    submitted.append(run.id)

        def read_some(store: Store) -> None:
            for _ in range(4 * OFTEN):
                assert store.read(lambda tx: tx.all("all_paused_queues")) == []
                row = store.read(lambda tx: tx.one("now"))
                assert row is not None
                assert set(row) == {"now"}

        with opened(url, url, url) as stores, ThreadPoolExecutor(3) as threads:
            deeds: list[Callable[[Store], None]] = [submit_some, read_some, submit_some]
            for done in [
                threads.submit(do, store) for do, store in zip(deeds, stores, strict=True)
            ]:
                done.result()
            found = run_sql(postgres_url, "select cast(id as text) from rota.run")

            assert sorted(row[0] for row in found) == sorted(submitted)
            if pool == 1 and reset == "0":
                assert any(store._connector.is_shared for store in stores)  # type: ignore[attr-defined]


@pytest.mark.parametrize("is_lone", [True, False])
def test_a_transaction_in_which_a_statement_is_missing_happens_once(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, *, is_lone: bool
) -> None:
    """The statements that we prepared are gone, as in a session that others have used."""
    # An insert that carries its NOTIFY is another statement, and time decides which one it is.
    monkeypatch.setattr(postgres_wakeups, "QUICK_S", -1.0)
    with opened(postgres_url) as (store,):
        for _ in range(OFTEN):
            store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=is_lone)
        tries: list[str] = []

        def work(tx: Tx) -> None:
            run = new_run()
            tries.append(run.id)
            if len(tries) == 1:
                tx.raw("deallocate all")
            submit(tx, [run], namespace=HOME)

        store.write(work, lone=is_lone)

        assert len(tries) == 2
        assert store.read(run_count) == OFTEN + 1
        assert store._connector.is_shared  # type: ignore[attr-defined]
        assert store.write(prepared_here) == 0, "nothing is prepared from then on"


def prepared_here(tx: Tx) -> int:
    for _ in range(OFTEN):
        tx.one("now")
    return int(tx.raw("select count(*) as n from pg_prepared_statements")[0]["n"])


def test_a_session_is_left_as_it_was_found(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with behind(postgres_server, postgres_url, pool=1) as (url, _), opened(url) as (store,):
        with contextlib.closing(store.watch(lambda _: None)):
            insert_run(store)
            store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=True)
            with psycopg.connect(url, autocommit=True) as next_one:
                changed = next_one.execute(
                    "select name from pg_settings where source = 'session'"
                    " and name not in ('application_name', 'client_encoding')"
                ).fetchall()
                assert changed == []
                assert next_one.execute("select pg_listening_channels()").fetchall() == []
                locks = "select count(*) from pg_locks where locktype = 'advisory'"
                assert next_one.execute(locks).fetchone() == (0,)
        assert store.presence.mine() is None, "its session says nothing about this process"


def test_many_migrate_at_once_and_one_does_it(
    postgres_server: PostgresServer, bare_postgres_url: str
) -> None:
    with (
        behind(postgres_server, bare_postgres_url, pool=3) as (url, _),
        ThreadPoolExecutor(4) as threads,
    ):
        for store in threads.map(lambda _: open_store(url), range(4)):
            assert store.read(run_count) == 0
            store.close()


def test_the_words_of_wake_ups_are_those_of_the_engine(
    pooled_url: str,
) -> None:
    with opened(pooled_url) as (store,):
        store.write(lambda tx: submit(tx, [new_run(), new_run()], namespace=HOME))
        said = {row["key"] for row in store.read(lambda tx: tx.all("news"))}

    assert said == {keys.ENDED, keys.NODE_ENDED, keys.LOGGED, queue_key(HOME, "default")}


def test_nothing_is_asked_while_nobody_waits(
    pooled_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    ask = Listener._ask

    def counted(self: Listener, connection: Connection, text: bytes) -> list[dict[str, str]]:
        asked.append(text)
        return ask(self, connection, text)

    monkeypatch.setattr(Listener, "_ask", counted)
    with opened(pooled_url) as (store,):
        rung = threading.Event()
        watch = store.watch(lambda key: rung.set() if key == EVERYWHERE else None)
        assert rung.wait(60)
        watch.close()
        eventually(lambda: not store._listener._wanted.is_set())  # type: ignore[attr-defined]
        before = len(asked)
        time.sleep(5 * postgres_listener.IDLE_LOOK_S)
        assert len(asked) == before
        rung.clear()
        with contextlib.closing(store.watch(lambda _: rung.set())):
            insert_run(store)
            assert rung.wait(60)


def test_an_idle_fleet_does_not_keep_itself_awake(
    pooled_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done about a wake-up must not write, or it would wake all others, who write..."""
    monkeypatch.setattr(postgres_listener, "ALL_S", 0.02)
    with (
        App(pooled_url) as app,
        working(app, lease_ms=60_000, heartbeat_ms=20_000, chores=False),
        working(app, lease_ms=60_000, heartbeat_ms=20_000, chores=False),
    ):

        def snapshot() -> str:
            row = app.store.read(lambda tx: tx.one("snapshot"))
            return str(row["snapshot"]) if row else ""

        def is_still() -> bool:
            before = snapshot()
            app.store.wakeups.ring((EVERYWHERE,))  # type: ignore[attr-defined]
            time.sleep(0.3)
            return before == snapshot()

        eventually(is_still)


@contextmanager
def working(app: App, **options: object) -> Iterator[Worker]:
    worker = app.worker(WorkerOptions(**FAST | DEAF | options))
    worker.start()
    try:
        yield worker
    finally:
        worker.hurry()
        worker.stop()


def echo(number: int) -> int:
    print("one", number)  # noqa: T201  # its log is followed
    return number


def test_work_begins_and_ends_without_waiting_for_a_poll(pooled_url: str, tmp_path: Path) -> None:
    """Submit, result, lines of a log, cancel and schedule: each reaches the other process."""
    trail, gate = tmp_path / "trail", tmp_path / "gate"
    with App(pooled_url) as client, App(pooled_url) as server:
        for app in (client, server):
            app.job(echo)
            app.job(work_slowly)
        with working(server, lease_ms=60_000, heartbeat_ms=20_000, margin_ms=5_000):
            job = client.find_job("echo")
            waits_s = []
            for number in range(20):
                began_s = time.monotonic()
                assert job.submit(number).result(timeout=60) == number
                waits_s.append(time.monotonic() - began_s)
            assert sorted(waits_s)[10] < 1, "it takes 20 ms on a machine of its own"

            run = job.submit(7)
            assert [each.text for each in run.follow_logs()] == ["one 7"]

            slow = client.find_job("work_slowly").submit(str(trail), str(gate))
            eventually(lambda: traces(trail, "began"))
            slow.cancel()
            assert slow.wait(timeout=60).state is State.CANCELLED

            client.schedules.put("soon", "* * * * * *", job="echo", args={"number": 5})
            eventually(lambda: _fired(client))
        open_gate(gate)


def test_thousands_of_runs_end_once_through_two_sessions(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        behind(postgres_server, postgres_url, pool=2) as (url, _),
        App(url) as client,
        App(url) as one,
        App(url) as other,
    ):
        for app in (client, one, other):
            app.job(double)
        calm = {"lease_ms": 60_000, "margin_ms": 10_000}
        with working(one, **calm), working(other, **calm):
            runs = client.find_job("double").submit_many([(number,) for number in range(RUNS)])
            eventually(lambda: client.store.read(run_count) == 0)
        asked = "select cast(id as text), state, result, attempt from rota.run_history"
        found = run_sql(postgres_url, asked)

    assert sorted(found) == sorted(
        (run.id, "success", str(2 * number), 1) for number, run in enumerate(runs)
    )


def double(number: int) -> int:
    return 2 * number


def _fired(app: App) -> bool:
    found = app.store.read(
        lambda tx: tx.raw(
            "select count(*) as n from rota.run_history where schedule_id is not null"
        )
    )
    return bool(found[0]["n"] >= 2)


def test_a_direct_way_past_the_pooler_brings_wake_ups_and_presence(
    pooled_url: str, postgres_server: PostgresServer
) -> None:
    woken: list[str] = []
    way = f"?direct=127.0.0.1:{postgres_server.port}"
    with (
        opened(pooled_url + way, pooled_url) as (store, other),
        contextlib.closing(store.watch(woken.append)),
    ):
        eventually(lambda: EVERYWHERE in woken)
        assert store.presence.mine() is not None
        assert not other.presence.gone({str(store.presence.mine())})
        woken.clear()
        insert_run(other)
        eventually(lambda: queue_key(HOME, "default") in woken)
        assert EVERYWHERE not in woken, "it was told, and did not look"
        assert [(each.check, each.status, each.found) for each in line(store.facts())] == [
            ("pooler", "ok", "between us and the server; no statement is prepared"),
            ("wake-ups", "ok", "arrive"),
        ]


@pytest.mark.parametrize(
    ("way", "status", "found"),
    [
        ("", "ok", "not through the pooler; waiting processes look every 15 to 40 ms instead"),
        ("?direct=127.0.0.1:1", "warning", "do not arrive: cannot connect to PostgreSQL"),
        (
            "?direct=127.0.0.1:{pooler}",
            "warning",
            "do not arrive: the direct address also leads through a pooler",
        ),
    ],
)
def test_without_a_good_direct_way_the_doctor_says_so_and_wake_ups_come_by_looking(
    pooled_url: str, bouncer: PgBouncer, way: str, status: str, found: str
) -> None:
    woken: list[str] = []
    with (
        opened(pooled_url + way.format(pooler=bouncer.port), pooled_url) as (store, other),
        contextlib.closing(store.watch(woken.append)),
    ):
        pooler, wakeups = line(store.facts())
        assert pooler.found == "between us and the server; no statement is prepared"
        assert wakeups.status == status
        assert wakeups.found.startswith(found)
        eventually(lambda: EVERYWHERE in woken)
        insert_run(other)
        eventually(lambda: queue_key(HOME, "default") in woken)
        assert store.presence.mine() is None


def test_a_direct_way_to_another_database_server_is_not_used(
    pooled_url: str, bouncer: PgBouncer
) -> None:
    woken: list[str] = []
    with PostgresServer(password=bouncer.password) as stranger:
        way = f"?direct=127.0.0.1:{stranger.port}/postgres"
        with (
            opened(pooled_url + way, pooled_url) as (store, other),
            contextlib.closing(store.watch(woken.append)),
        ):
            eventually(lambda: EVERYWHERE in woken)
            insert_run(other)
            eventually(lambda: queue_key(HOME, "default") in woken)
            assert store.presence.mine() is None, "nobody would see it there"
            assert [each.status for each in line(store.facts())] == ["ok", "problem"]


def test_a_pooler_that_restarts_or_is_full_is_an_outage_like_others(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        behind(postgres_server, postgres_url, pool=2, max_client_conn="12") as (url, bouncer),
        App(url) as app,
        heard("service.failed") as broken,
    ):
        app.job(echo)
        with working(app):
            assert app.find_job("echo").submit(1).result(timeout=60) == 1
            bouncer.kill()
            eventually(lambda: _is_refused(app))
            bouncer.start()
            eventually(lambda: _echoes(app, 2))
            with contextlib.ExitStack() as crowd:
                for _ in range(12):
                    with contextlib.suppress(psycopg.OperationalError):
                        crowd.enter_context(psycopg.connect(url, autocommit=True))
                with pytest.raises(StoreUnavailable, match="no more connections allowed"):
                    connect(url).read(run_count)
            eventually(lambda: _echoes(app, 3))
        assert broken == []


def test_a_pool_that_stays_taken_is_an_outage_like_others(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with (
        behind(postgres_server, postgres_url, pool=1, query_wait_timeout="1") as (url, _),
        opened(url) as (store,),
        psycopg.connect(url) as hog,
    ):
        hog.execute("select 1")
        with pytest.raises(StoreUnavailable):
            store.read(run_count)
        hog.rollback()

        assert store.read(run_count) == 0


def _is_refused(app: App) -> bool:
    try:
        app.store.read(run_count)
    except StoreUnavailable:
        return True
    return False


def _echoes(app: App, number: int) -> bool:
    try:
        run = app.find_job("echo").with_options(key=f"{number}").submit(number)
        return bool(run.result(timeout=60) == number)
    except StoreUnavailable:
        return False
