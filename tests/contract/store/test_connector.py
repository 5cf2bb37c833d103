"""The dialer: pace, rest after failures, and servers that were failed over from."""

from __future__ import annotations

import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import psycopg
import pytest

from rota.errors import Cancelled, StoreUnavailable
from rota.store.base import Store
from rota.store.postgres.connections import connector as postgres_dialer
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import (
    LONGEST_REST_S,
    PACE_S,
    Connector,
    SessionQuestions,
)
from tests.contract.builders import run_sql
from tests.support.network import NOWHERE, Network
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.postgres

TIMELINE = b"select 'one' as system, cast(current_setting('rota.timeline') as int) as timeline"


def test_a_server_on_an_older_timeline_than_was_seen_is_refused(postgres_url: str) -> None:
    database = postgres_url.partition("?")[0].rpartition("/")[2]
    connector = Connector(postgres_url, burst=5, questions=SessionQuestions(timeline=TIMELINE))

    def connect_on(timeline: int) -> None:
        run_sql(postgres_url, f"alter database {database} set rota.timeline = {timeline}")
        connector.connect().close()

    connect_on(3)
    connect_on(4)
    with pytest.raises(StoreUnavailable, match="on timeline 3, but timeline 4 was seen"):
        connect_on(3)
    connect_on(4)


def test_the_timeline_of_a_real_server_can_be_asked(postgres_store: Store) -> None:
    row = postgres_store.read(lambda tx: tx.one("timeline"))

    assert row is not None
    assert row["timeline"] == 1
    assert row["system"] > 0


def test_a_server_that_does_not_tell_its_timeline_is_used_all_the_same(postgres_url: str) -> None:
    Connector(
        postgres_url, burst=5, questions=SessionQuestions(timeline=b"select unknown_function()")
    ).connect().close()


@pytest.mark.parametrize("where", ["sleep", "_dial"])
def test_a_thread_stopped_while_connecting_leaves_the_attempt_to_others(
    monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Otherwise they would wait for it for ever, and never try again."""

    def stop(*_: object) -> None:
        raise Cancelled

    with Network(NOWHERE) as network:
        connector = Connector(f"postgresql://127.0.0.1:{network.port}/x", burst=5)
        refusal(connector)
        with monkeypatch.context() as patch:
            if where == "sleep":
                patch.setattr(postgres_dialer, "time", SimpleNamespace(sleep=stop))
            else:
                patch.setattr(connector, where, stop)
            with pytest.raises(Cancelled):
                connector.connect()
        before = len(network.connects)

        assert "cannot connect to PostgreSQL" in refusal(connector)
        assert len(network.connects) > before, "it was tried again"


def test_an_attempt_of_which_nothing_is_heard_is_not_waited_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres_dialer, "SHARED_S", 0.05)
    with Network(NOWHERE) as network:
        connector = Connector(f"postgresql://127.0.0.1:{network.port}/x", burst=5)
        refusal(connector)
        connector._turn_s()  # by a thread that ended before it could say so
        before = len(network.connects)

        refusal(connector)
        refusal(connector)
        assert len(network.connects) > before, "it was tried again"


def test_while_a_server_is_away_all_who_ask_share_few_attempts() -> None:
    with Network(NOWHERE) as network, ThreadPoolExecutor(20) as threads:
        connector = Connector(f"postgresql://127.0.0.1:{network.port}/x", burst=5)
        with pytest.raises(StoreUnavailable):
            connector.connect()
        began_s = time.monotonic()
        said = list(threads.map(lambda _: refusal(connector), range(60)))
        took_s = time.monotonic() - began_s

    assert all("cannot connect to PostgreSQL" in each for each in said)
    assert took_s < 3 * LONGEST_REST_S + 2
    assert len(network.connects) < 12


def test_a_broken_connection_counts_until_it_is_closed(postgres_url: str) -> None:
    connector = Connector(postgres_url, burst=1)
    connection = connector.connect()
    with socket.socket(fileno=os.dup(connection.fileno())) as copy:
        copy.shutdown(socket.SHUT_RDWR)
    with pytest.raises(psycopg.Error):
        connection.libpq.say(b"select 1")
    assert connection.broken

    assert connector.leftovers.count() == 1
    connection.close()
    assert connector.leftovers.count() == 0


def test_only_one_at_a_time_asks_a_server_that_may_hold_too_many(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_dialer, "PACE_S", 0.0)
    connector = Connector(postgres_url, burst=1)
    both = [connector.connect() for _ in range(2)]
    dial, most, at_once = connector._dial, [0], set[int]()

    def counted() -> Connection:
        at_once.add(threading.get_ident())
        most.append(len(at_once))
        try:
            time.sleep(0.05)  # long enough for others to come in between
            return dial()
        finally:
            at_once.discard(threading.get_ident())

    monkeypatch.setattr(connector, "_dial", counted)
    monkeypatch.setattr(
        connector.leftovers, "_gone", b"select '' as session where %(sessions)s = ''"
    )
    monkeypatch.setattr(connector.leftovers, "_still_busy", b"select 9 as statements")
    with ThreadPoolExecutor(6) as threads:
        said = list(threads.map(lambda _: refusal(connector), range(6)))

    assert all("PostgreSQL has 2 connections of this process" in each for each in said)
    assert max(most) == 1
    for each in both:
        each.close()


def refusal(connector: Connector) -> str:
    try:
        connector.connect()
    except StoreUnavailable as error:
        return str(error)
    return ""


def test_a_server_that_is_back_is_used_by_the_next_who_asks(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with Network(NOWHERE) as network:
        database = postgres_url.partition("?")[0].rpartition("/")[2]
        url = postgres_server.url(database, tcp=True)
        connector = Connector(
            url.replace(f":{postgres_server.port}/", f":{network.port}/"), burst=5
        )
        for _ in range(3):
            assert refusal(connector)
        network.target = postgres_server.port

        connector.connect().close()


def test_beyond_the_first_connections_the_pace_is_bounded(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests_s: list[float] = []
    monkeypatch.setattr(postgres_dialer, "time", SimpleNamespace(sleep=rests_s.append))
    monkeypatch.setattr(postgres_dialer, "elapsed_s", lambda: 100.0 + sum(rests_s))
    connector = Connector(postgres_url, burst=4)
    for _ in range(8):
        connector.connect().close()

    assert rests_s == [0.0] * 4 + [pytest.approx(PACE_S)] * 4
