"""Wake-ups behind a real PgBouncer: by looking, or by a direct way past it."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from rota.app import App
from rota.engine import wakeup_keys as keys
from rota.engine.runs.submit import submit
from rota.engine.wakeup_keys import queue_key
from rota.rules.insight.checkup import line
from rota.store.postgres import listener as postgres_listener
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.listener import Listener
from rota.store.wakeups import EVERYWHERE
from tests.contract.builders import HOME, new_run
from tests.integration.behind_pooler import insert_run, opened, working
from tests.support.calls import eventually
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("pgbouncer_program")]


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
