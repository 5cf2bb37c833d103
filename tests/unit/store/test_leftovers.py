"""Connections that were given up count until the server has let go of them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from rota.errors import StoreUnavailable
from rota.store.postgres.connections.leftovers import Leftovers

MOST = 4
GONE, BUSY = b"gone", b"busy"


class Server:
    """Knows which sessions have ended, and how many statements it has been at for long."""

    def __init__(self) -> None:
        self.gone: set[str] = set()
        self.busy = 0
        self.asked = 0

    def run(self, text: bytes, params: dict[str, Any]) -> Any:
        self.asked += 1
        if text == BUSY:
            return SimpleNamespace(rows=[{"statements": self.busy}])
        named = set(json.loads(params["sessions"])) & self.gone
        return SimpleNamespace(rows=[{"session": session} for session in named])


class Line:
    """A connection."""

    def __init__(self, server: Server, session: str | None) -> None:
        self.session = session
        self.libpq = server
        self.is_dropped = False

    def close(self) -> None:
        self.is_dropped = True


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def leftovers() -> Leftovers:
    return Leftovers(MOST, gone=GONE, still_busy=BUSY)


def line(leftovers: Leftovers, server: Server, session: str | None = "1:1") -> Any:
    """A new connection, if there may be one."""
    made: Any = Line(server, session)
    leftovers.admit(made)
    return made


def test_no_more_are_made_than_the_bound_and_nothing_is_asked_below_it(
    leftovers: Leftovers, server: Server
) -> None:
    lines = [line(leftovers, server, f"{number}:1") for number in range(MOST)]
    assert server.asked == 0

    with pytest.raises(StoreUnavailable, match="PostgreSQL has 4 connections of this process"):
        line(leftovers, server)
    lines[0].close()
    line(leftovers, server)


def test_an_abandoned_session_counts_until_the_server_has_ended_it(
    leftovers: Leftovers, server: Server
) -> None:
    for number in range(MOST):
        made = line(leftovers, server, f"{number}:1")
        leftovers.give_up(made)
        leftovers.give_up(made)
        made.close()
    with pytest.raises(StoreUnavailable):
        line(leftovers, server)
    server.gone = {"2:1"}

    kept = line(leftovers, server)
    assert leftovers.count() == MOST
    kept.close()
    assert leftovers.count() == MOST - 1


def test_behind_a_pooler_as_many_count_as_statements_take_long(
    leftovers: Leftovers, server: Server
) -> None:
    server.busy = 9
    for _ in range(MOST):
        made = line(leftovers, server, None)
        leftovers.give_up(made)
        made.close()
    with pytest.raises(StoreUnavailable):
        line(leftovers, server, None)
    server.busy = 1

    kept = line(leftovers, server, None)
    assert leftovers.count() == 2
    kept.close()
