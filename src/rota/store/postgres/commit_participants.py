"""Riders on PostgreSQL: a worker of this process claims in the commit that brings it work.

Saves a commit and two wake-ups: half a millisecond of the two that a schedule may be late.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import psycopg

from rota.store.base import CommitParticipant, JoinedWork
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.tx import PostgresTx


class JoinedParticipants:
    """Those of one transaction; told that it failed unless they have arrived."""

    def __init__(self) -> None:
        self._rides: list[JoinedWork] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for ride in self._rides:
            ride.fail()

    def board(
        self, tx: PostgresTx, connection: Connection, riders: Sequence[CommitParticipant]
    ) -> None:
        """Riders that fail are left behind; they must not hurt the work they ride with."""
        keys = frozenset(tx.keys())
        for rider in riders:
            news = tx.remember()
            connection.wire.say(b"savepoint ride")
            try:
                ride = rider.board(tx, keys)
            except Exception as error:  # it looks again by itself, and meets it there
                if connection.broken or isinstance(error, psycopg.errors.DeadlockDetected):
                    raise
                connection.wire.say(b"rollback to ride")
                tx.restore(news)
            else:
                if ride is not None:
                    self._rides.append(ride)

    def arrive(self) -> None:
        """The transaction is committed."""
        rides, self._rides = self._rides, []
        for ride in rides:
            ride.arrive()
