"""A transaction on PostgreSQL: named statements on one connection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Any

import msgspec

from rota.store.base import Ask, Row
from rota.store.pending_wakeups import PendingWakeups
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.libpq import MakeRow, StatementResult
from rota.store.postgres.connections.timeouts import StatementTimeouts
from rota.store.postgres.errors import is_fault_of_values
from rota.store.postgres.joined_statements import joined, numbered

TELLING = b"""with done as (%s returning 1)
select (select count(*) from done) as changed,
       (select count(pg_notify('rota', key))
          from json_array_elements_text(cast(%%(told)s as json)) as key) as told"""
TOLD_WITHIN = ("insert_runs",)
"""Statements that run alone and may carry their own NOTIFY."""


class PostgresTx(PendingWakeups):
    """A transaction on one psycopg connection."""

    def __init__(
        self,
        connection: Connection,
        statements: dict[str, bytes],
        now: int | None,
        timeouts: StatementTimeouts,
        limit_s: float,
        memo: dict[Any, Any],
    ) -> None:
        super().__init__()
        self._connection = connection
        self._timeouts = timeouts
        self._limit_s = limit_s
        self._statements = statements
        self._now = now
        self.memo = memo
        self.told: set[str] = set()
        """Keys whose NOTIFY is part of this transaction."""
        self.choose: Callable[[Collection[str]], set[str]] | None = None
        self.statements_left: int | None = None

    def one(self, name: str, /, **params: Any) -> Row | None:
        rows = self._run(name, params).rows
        return rows[0] if rows else None

    def all(self, name: str, /, **params: Any) -> list[Row]:
        return self._run(name, params).rows

    def tuples(self, name: str, /, **params: Any) -> list[tuple[Any, ...]]:
        return self._run(name, params, tuple).rows

    def execute(self, name: str, /, **params: Any) -> int:
        if self.woken and self.choose is not None and name in TOLD_WITHIN:
            self.told = self.choose(self.woken)
            if self.told:
                return self._execute_and_tell(name, params)
        return self._run(name, params).touched

    def insert(self, name: str, rows: Sequence[msgspec.Struct], /, **params: Any) -> None:
        self._run(name, {"batch": msgspec.json.encode(rows).decode(), **params})

    def execute_all(self, asks: Sequence[Ask]) -> None:
        if len(asks) == 1:
            ((name, params),) = asks
            self._run(name, params)
        elif asks:
            name = " and ".join(name for name, _ in asks)
            if name not in self._statements:
                self._statements[name] = joined([self._statements[each] for each, _ in asks])
            self._run(name, numbered(asks))

    def _execute_and_tell(self, name: str, params: dict[str, Any]) -> int:
        params["told"] = msgspec.json.encode(self.told).decode()
        (row,) = self._run(f"{name} and tell", params).rows
        return int(row["changed"])

    def raw(self, text: str, params: Any = None, /) -> list[Row]:
        cursor = self._connection.execute(text.encode(), params)
        return list(cursor.fetchall()) if cursor.description else []

    def script(self, text: str) -> None:
        """Run statements that have no parameters, for migrations and partitions."""
        self._timeouts.expect(self._connection, inf)
        self._connection.execute(text.encode(), prepare=False)

    def expect_answer(self) -> None:
        """Expect answers within the limit from now on."""
        self._timeouts.expect(self._connection, self._limit_s)

    def _say(self, text: str) -> None:
        self.expect_answer()
        self._connection.libpq.say(text.encode())

    def _is_of_values(self, error: Exception) -> bool:
        return not self._connection.broken and is_fault_of_values(error)

    def _run(
        self, name: str, params: dict[str, Any], make: MakeRow | None = None
    ) -> StatementResult:
        if self.statements_left is not None:
            self.statements_left -= 1
            if self.statements_left < 0:
                raise AssertionError(f"{name} is not alone in a transaction that promised to be")
        params["now"] = self._now
        self._timeouts.expect(self._connection, self._limit_s)
        return self._connection.libpq.run(self._statements[name], params, make)
