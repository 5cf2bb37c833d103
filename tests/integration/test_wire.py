"""Statements go through libpq without a cursor; errors and values stay psycopg's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from threading import Event, Thread

import psycopg
import pytest

from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.libpq import PREPARED_AFTER, LibpqConnection, numbered
from tests.support.calls import eventually
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.postgres
ECHO = b"select cast(%(value)s as text) as value, %(value)s is null as gone"


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    with Connector(postgres_url, burst=1).connect() as made:
        yield made


def prepared(connection: Connection) -> int:
    (row,) = connection.execute("select count(*) as n from pg_prepared_statements").fetchall()
    return int(row["n"])


def test_a_name_used_twice_is_one_value_and_a_doubled_mark_is_a_percent_sign() -> None:
    assert numbered(b"a %(x)s b %(y)s c %(x)s like '%%'") == (
        b"a $1 b $2 c $1 like '%'",
        ("x", "y"),
    )


@pytest.mark.parametrize("value", [None, "", "a'b\\c\n", "\U0001f600", "01a1e2e1"])
def test_text_comes_back_as_it_went(connection: Connection, value: str | None) -> None:
    for _ in range(PREPARED_AFTER + 2):
        (row,) = connection.libpq.run(ECHO, {"value": value}).rows
        assert row == {"value": value, "gone": value is None}


def test_numbers_truths_and_bytes_are_taken_for_what_their_place_asks_for(
    connection: Connection,
) -> None:
    text = b"""select cast(%(big)s as bigint) as big, cast(%(real)s as float8) as real,
                      cast(%(yes)s as boolean) as yes, cast(%(raw)s as bytea) as raw"""
    values = {"big": -(2**62), "real": 1e-9, "yes": True, "raw": b"\x00\xff"}

    assert connection.libpq.run(text, values).rows == [values]


def test_a_zero_byte_is_refused_and_nothing_is_cut_off_there(connection: Connection) -> None:
    with pytest.raises(psycopg.DataError):
        connection.libpq.run(ECHO, {"value": "a\0b"})


def test_a_statement_is_prepared_once_it_is_used_often(connection: Connection) -> None:
    for _ in range(PREPARED_AFTER):
        connection.libpq.run(ECHO, {"value": "x"})
    assert prepared(connection) == 0
    for _ in range(3):
        connection.libpq.run(ECHO, {"value": "x"})
    assert prepared(connection) == 1


def test_no_two_connections_give_one_name_to_different_statements(postgres_url: str) -> None:
    """Their sessions may be one, behind a pooler."""
    connector = Connector(postgres_url, burst=2)
    with connector.connect() as one, connector.connect() as other:
        for connection, numbers in ((one, (1, 2)), (other, (2, 3))):
            for number in numbers:
                for _ in range(PREPARED_AFTER + 1):
                    connection.libpq.run(b"select %d as n" % number, {})
        asked = "select name, statement from pg_prepared_statements"
        found = [row for each in (one, other) for row in each.execute(asked).fetchall()]

    assert len(found) == 4
    assert len({row["name"] for row in found}) == len({row["statement"] for row in found}) == 3


def test_nothing_is_prepared_behind_a_pooler(connection: Connection) -> None:
    connection.libpq.prepares = False
    for _ in range(PREPARED_AFTER + 3):
        connection.libpq.run(ECHO, {"value": "x"})
    assert prepared(connection) == 0


def test_errors_are_of_their_own_class(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.libpq.run(b"select 1 / cast(%(value)s as int)", {"value": 0})
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.libpq.say(b"select 1 from nowhere")


def test_a_session_that_is_ended_is_an_operational_error(
    connection: Connection, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s)", (connection.info.backend_pid,))
    for _ in range(2):  # first the server's own words, then a line that is dead
        with pytest.raises(psycopg.OperationalError):
            connection.libpq.run(ECHO, {"value": "x"})
    assert connection.broken


def test_other_threads_go_on_while_one_waits_for_the_server(connection: Connection) -> None:
    answered = Event()

    def wait() -> None:
        connection.libpq.run(b"select pg_sleep(0.2)", {})
        answered.set()

    thread = Thread(target=wait)
    thread.start()
    steps = 0
    while not answered.wait(0.005):
        steps += 1
    thread.join()
    assert steps >= 5, "a call that keeps Python's lock would have stopped us"


def test_notices_are_heard_at_once_and_in_order(connection: Connection, postgres_url: str) -> None:
    connection.libpq.say(b"listen rota")
    with psycopg.connect(postgres_url, autocommit=True) as other:
        for word in ("one", "two"):
            other.execute("select pg_notify('rota', %s)", (word,))
    heard: list[bytes] = []
    while len(heard) < 2:
        heard += [each.extra for each in connection.libpq.notices(5.0)]
    assert heard == [b"one", b"two"]
    assert list(connection.libpq.notices(0.01)) == []


def test_every_statement_that_meets_the_end_of_the_server_finds_the_connection_broken() -> None:
    """Whatever libpq believes: after a write that failed it may call such a connection good."""
    with PostgresServer() as server:
        connector = Connector(server.url(), burst=40)
        connections = [connector.connect() for _ in range(40)]
        ends: dict[int, Exception] = {}
        begun = Counter[int]()

        def work(number: int, libpq: LibpqConnection) -> None:
            try:
                while True:
                    for text in (b"begin", b"select 1", b"commit"):
                        libpq.say(text)
                    begun[number] += 1
            except Exception as error:  # noqa: BLE001  # whatever it is, it is looked at
                ends[number] = error

        threads = [
            Thread(target=work, args=(number, each.libpq))
            for number, each in enumerate(connections)
        ]
        for thread in threads:
            thread.start()
        eventually(lambda: len(begun) == len(connections))
        server.stop("immediate")
        for thread in threads:
            thread.join()

        assert {type(error) for error in ends.values()} == {psycopg.OperationalError}
        assert all(each.broken for each in connections)
        for each in connections:
            each.close()
