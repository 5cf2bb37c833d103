"""A transaction on SQLite: named statements on one connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec
from msgspec.structs import astuple

from rota.store.base import Ask, Row
from rota.store.pending_wakeups import PendingWakeups
from rota.store.statements import Statement

_OF_VALUES = (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError, apsw.RangeError)


def is_fault_of_values(error: Exception) -> bool:
    """Whether the error concerns the values to be written, and not the file or the schema."""
    if isinstance(error, apsw.SQLError):
        return "JSON" in str(error)
    if isinstance(error, apsw.Error):
        return isinstance(error, _OF_VALUES)
    return True


class SqliteTx(PendingWakeups):
    """A transaction on one apsw connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        statements: dict[str, Statement],
        columns: dict[str, tuple[str, ...]],
        now: int | None,
        memo: dict[Any, Any],
    ) -> None:
        super().__init__()
        self._connection = connection
        self._statements = statements
        self._columns = columns
        self._now = now
        self.memo = memo

    def one(self, name: str, /, **params: Any) -> Row | None:
        rows = self.all(name, **params)
        return rows[0] if rows else None

    def all(self, name: str, /, **params: Any) -> list[Row]:
        cursor = self._run(name, params)
        first = cursor.fetchone()
        if first is None:
            return []
        names = self._columns.get(name)
        if names is None:
            names = tuple(column[0] for column in cursor.get_description())
            self._columns[name] = names
        return [dict(zip(names, row, strict=True)) for row in (first, *cursor.fetchall())]

    def tuples(self, name: str, /, **params: Any) -> list[tuple[Any, ...]]:
        return self._run(name, params).fetchall()

    def execute(self, name: str, /, **params: Any) -> int:
        # total_changes, because changes() keeps the count of an earlier statement
        # when this one turned out to change nothing at all.
        before = self._connection.total_changes()
        self._run(name, params).fetchall()
        after = self._connection.total_changes()
        return self._connection.changes() if after != before else 0

    def insert(self, name: str, rows: Sequence[msgspec.Struct], /, **params: Any) -> None:
        # Row by row, which here is no trip: by way of JSON it takes half as long again.
        more = tuple(params.values())
        text = self._statements[name].text
        self._connection.executemany(text, [(*astuple(row), *more) for row in rows])

    def execute_all(self, asks: Sequence[Ask]) -> None:
        for name, params in asks:
            self._run(name, params).fetchall()

    def raw(self, text: str, params: Any = None, /) -> list[Row]:
        cursor = self._connection.execute(text, params)
        first = cursor.fetchone()
        if first is None:
            return []
        names = tuple(column[0] for column in cursor.get_description())
        return [dict(zip(names, row, strict=True)) for row in (first, *cursor.fetchall())]

    def script(self, text: str) -> None:
        """Run statements that have no parameters, for migrations."""
        self._connection.execute(text)

    def _say(self, text: str) -> None:
        self._connection.execute(text)

    def _is_of_values(self, error: Exception) -> bool:
        if not self._connection.in_transaction:
            return False  # a full or broken disk: SQLite rolled everything back
        return is_fault_of_values(error)

    def _run(self, name: str, params: dict[str, Any]) -> apsw.Cursor:
        params["now"] = self._now
        return self._connection.execute(self._statements[name].text, params)
