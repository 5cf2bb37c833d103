"""Connections of a user's program on an event loop, adapted to Rota's statements.

As in `connections`, Rota neither begins, commits nor rolls back on them, and imports no driver.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from rota.errors import WrongConnection
from rota.store.base import Row
from rota.store.foreign.connections import (
    MAIN_FILE,
    ForeignResult,
    check_version,
    is_autocommit,
    is_begun,
    keep_apart,
    roots,
)

_MARK = re.compile(r"%\((\w+)\)s")


class AsyncForeignConnection(Protocol):
    """A connection that the user's program made, whose statements are awaited."""

    dialect: str

    async def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        """Execute one statement with named parameters, spelled for the dialect."""
        ...

    def is_loose(self) -> bool:
        """Whether each statement is committed on its own."""
        ...

    def is_begun(self) -> bool:
        """Whether a transaction is in progress."""
        ...


class _Psycopg:
    """An AsyncConnection of psycopg."""

    dialect = "postgres"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        import psycopg  # noqa: PLC0415  # the connection is one of its own, so it is there

        make_row = psycopg.rows.dict_row
        async with psycopg.AsyncCursor(self._connection, row_factory=make_row) as cursor:
            await cursor.execute(text.encode(), params)
            rows = await cursor.fetchall() if cursor.description else []
            return ForeignResult(list(rows), cursor.rowcount)

    def is_loose(self) -> bool:
        return is_autocommit(self._connection) and not self.is_begun()

    def is_begun(self) -> bool:
        return is_begun(self._connection)


class _Asyncpg:
    """A connection of asyncpg, alone or from a pool; outside of a transaction it commits each."""

    dialect = "postgres"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        numbered, names = _numbered(text)
        statement = await self._connection.prepare(numbered)
        rows = await statement.fetch(*(params[name] for name in names))
        changed = statement.get_statusmsg().rpartition(" ")[2]
        return ForeignResult(list(map(dict, rows)), int(changed) if changed.isdigit() else 0)

    def is_loose(self) -> bool:
        return not self.is_begun()

    def is_begun(self) -> bool:
        return bool(self._connection.is_in_transaction())


class _Alchemy:
    """An AsyncConnection of SQLAlchemy; it begins transactions automatically."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        kind = connection.dialect
        if kind.driver not in ("psycopg", "psycopg_async", "asyncpg", "aiosqlite"):
            raise WrongConnection(
                f"SQLAlchemy is on {kind.name}+{kind.driver} here; Rota knows psycopg, asyncpg "
                "and aiosqlite"
            )
        self.dialect = "sqlite" if kind.name == "sqlite" else "postgres"
        pooled = connection.sync_connection.connection
        self._adapted: Any = pooled.dbapi_connection
        self._driver: Any = pooled.driver_connection
        if self.dialect == "sqlite":
            # The one of sqlite3 in its thread. What is asked of it here needs no thread.
            self._adapted = self._driver = self._driver._conn  # noqa: SLF001  # no other way

    async def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        given: Any = dict(params)
        if self._connection.dialect.driver == "asyncpg":
            text, names = _numbered(text)
            given = tuple(params[name] for name in names)
        result = await self._connection.exec_driver_sql(text, given)
        rows: list[Row] = list(map(dict, result.mappings())) if result.returns_rows else []
        return ForeignResult(rows, result.rowcount)

    def is_loose(self) -> bool:
        return is_autocommit(self._adapted) and not self.is_begun()

    def is_begun(self) -> bool:
        if hasattr(self._driver, "is_in_transaction"):
            return bool(self._driver.is_in_transaction())
        return is_begun(self._driver)

    async def check(self) -> None:
        """Refuse a connection to a file that this process has open with another SQLite."""
        if self.dialect == "sqlite":
            check_version()
            result = await self._connection.exec_driver_sql(MAIN_FILE)
            keep_apart(result.scalar_one(), self._driver)


async def async_foreign(connection: Any) -> AsyncForeignConnection:
    """Adapt a connection by its kind; WrongConnection names the kinds that work."""
    of = roots(connection)
    if "sqlalchemy" in of:
        has_one = hasattr(connection, "exec_driver_sql")
        adapted = _Alchemy(connection if has_one else await connection.connection())
        await adapted.check()
        return adapted
    if "asyncpg" in of:
        return _Asyncpg(connection)
    if "psycopg" in of:
        return _Psycopg(connection)
    kind = type(connection)
    raise WrongConnection(
        f"{kind.__module__}.{kind.__qualname__} is not a connection that Rota knows; give one of "
        "psycopg or asyncpg, or an AsyncConnection or AsyncSession of SQLAlchemy"
    )


@cache
def _numbered(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a statement with the marks of asyncpg, and the names of its parameters in order."""
    names = tuple(dict.fromkeys(_MARK.findall(text)))
    numbered = _MARK.sub(lambda mark: f"${names.index(mark[1]) + 1}", text)
    return numbered.replace("%%", "%"), names
