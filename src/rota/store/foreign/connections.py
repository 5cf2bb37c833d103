"""Connections of a user's program, adapted to Rota's statements.

Rota neither begins, commits nor rolls back on them. Drivers are recognised by their module, so that
none is imported.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rota.errors import WrongConnection
from rota.store.base import Row
from rota.store.sqlite.coexistence import lend

OLDEST_SQLITE = (3, 39, 0)
"""`having` without groups is younger than the ->> of 3.38; the newest we use."""


MAIN_FILE = "select file from pragma_database_list where name = 'main'"


class ForeignResult(NamedTuple):
    """The result of a statement."""

    rows: list[Row]
    changed: int


class ForeignConnection(Protocol):
    """A connection that the user's program made."""

    dialect: str

    def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        """Execute one statement with named parameters, spelled for the dialect."""
        ...

    def is_loose(self) -> bool:
        """Whether each statement is committed on its own."""
        ...

    def is_begun(self) -> bool:
        """Whether a transaction is in progress."""
        ...


class _Driver:
    """A connection of sqlite3, psycopg or psycopg2."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        check_library(connection)
        self.dialect = "sqlite" if isinstance(connection, sqlite3.Connection) else "postgres"

    def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        cursor = self._cursor()
        try:
            cursor.execute(text, params)
            names = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchall() if names else []
            return ForeignResult(
                [dict(zip(names, row, strict=True)) for row in rows], cursor.rowcount
            )
        finally:
            cursor.close()

    def is_loose(self) -> bool:
        return is_autocommit(self._connection) and not self.is_begun()

    def is_begun(self) -> bool:
        return is_begun(self._connection)

    def _cursor(self) -> Any:
        """Return a cursor that gives tuples and knows our marks, whatever the user set up."""
        if "psycopg" in roots(self._connection):
            import psycopg  # noqa: PLC0415  # the connection is one of its own, so it is there

            return psycopg.Cursor(self._connection, row_factory=psycopg.rows.tuple_row)
        cursor = self._connection.cursor()
        if self.dialect == "sqlite":
            cursor.row_factory = None
        return cursor


class _Alchemy:
    """A connection of SQLAlchemy on one of these drivers; it begins transactions automatically."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        kind = connection.dialect
        if kind.driver not in ("psycopg", "psycopg_async", "psycopg2", "pysqlite"):
            raise WrongConnection(
                f"SQLAlchemy is on {kind.name}+{kind.driver} here; Rota knows psycopg, psycopg2 "
                "and pysqlite"
            )
        self.dialect = "sqlite" if kind.name == "sqlite" else "postgres"
        check_library(connection.connection.driver_connection)

    def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        result = self._connection.exec_driver_sql(text, dict(params))
        rows: list[Row] = list(map(dict, result.mappings())) if result.returns_rows else []
        return ForeignResult(rows, result.rowcount)

    def is_loose(self) -> bool:
        driver = self._connection.connection.driver_connection
        return is_autocommit(driver) and not is_begun(driver)

    def is_begun(self) -> bool:
        return is_begun(self._connection.connection.driver_connection)


class _Apsw:
    """A connection of apsw: the SQLite that Rota's own store uses."""

    dialect = "sqlite"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        before = self._connection.total_changes()
        cursor = self._connection.execute(text, params)
        first = cursor.fetchone()
        rows: list[Row] = []
        if first is not None:
            names = [column[0] for column in cursor.get_description()]
            rows = [dict(zip(names, row, strict=True)) for row in (first, *cursor)]
        return ForeignResult(rows, self._connection.total_changes() - before)

    def is_loose(self) -> bool:
        return not self.is_begun()

    def is_begun(self) -> bool:
        return bool(self._connection.in_transaction)


def foreign(connection: Any) -> ForeignConnection:
    """Adapt a connection by its kind; WrongConnection names the kinds that work."""
    of = roots(connection)
    if is_async(connection):
        raise WrongConnection(
            f"{name_of(connection)} is asynchronous; give a synchronous connection (run_sync of "
            "SQLAlchemy has one)"
        )
    if "sqlalchemy" in of:
        return _alchemy(connection)
    if "django" in of and hasattr(connection, "ensure_connection"):
        return _Driver(_of_django(connection))
    if of & {"psycopg", "psycopg2"} and hasattr(connection, "cursor"):
        return _Driver(connection)
    if isinstance(connection, sqlite3.Connection):
        return _Driver(connection)
    if "apsw" in of:
        return _Apsw(connection)
    raise WrongConnection(
        f"{name_of(connection)} is not a connection that Rota knows; give one of psycopg, "
        "psycopg2, asyncpg, sqlite3, apsw or Django, or a Connection or Session of SQLAlchemy"
    )


def is_async(connection: Any) -> bool:
    """Whether the statements of a connection are awaited."""
    is_awaited = iscoroutinefunction(getattr(connection, "commit", None))
    return is_awaited or "asyncpg" in roots(connection)


def name_of(connection: object) -> str:
    """Return the full name of the kind of a connection."""
    return f"{type(connection).__module__}.{type(connection).__qualname__}"


def _of_django(connection: Any) -> Any:
    """Return the driver's connection of one of Django, which it opens when it is first used."""
    connection.ensure_connection()
    if connection.vendor not in ("postgresql", "sqlite"):
        raise WrongConnection(
            f"Django is on {connection.vendor} here; Rota knows PostgreSQL and SQLite"
        )
    if connection.in_atomic_block:
        connection.validate_no_broken_transaction()
    return connection.connection


def check_library(driver: Any) -> None:
    """Refuse sqlite3 connections that are too old, or to a file that we have open here."""
    if not isinstance(driver, sqlite3.Connection):
        return
    check_version()
    cursor = driver.cursor()
    cursor.row_factory = None
    keep_apart(cursor.execute(MAIN_FILE).fetchone()[0], driver)


def check_version() -> None:
    """Refuse a sqlite3 that is too old."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise WrongConnection(
            f"Python's sqlite3 is SQLite {sqlite3.sqlite_version} here and Rota needs "
            f"{'.'.join(map(str, OLDEST_SQLITE))} to use a connection of it"
        )


def keep_apart(file: str, driver: sqlite3.Connection) -> None:
    """Refuse a file that this process has open with another SQLite; a store in memory has none."""
    if file:
        lend(Path(file), driver)


def _alchemy(connection: Any) -> ForeignConnection:
    if hasattr(connection, "exec_driver_sql"):
        driver = connection
    else:  # a session: it has, or begins, a connection
        driver = getattr(connection, "connection", None)
        driver = driver() if callable(driver) else None
    if driver is None:
        raise WrongConnection("give a Connection or Session of SQLAlchemy, also an AsyncSession")
    return _Alchemy(driver)


def roots(connection: Any) -> set[str]:
    return {kind.__module__.partition(".")[0] for kind in type(connection).__mro__}


def is_autocommit(driver: Any) -> bool:
    if isinstance(driver, sqlite3.Connection):
        # Since Python 3.12 there is `autocommit`; -1 means that isolation_level decides.
        autocommit = getattr(driver, "autocommit", -1)
        return driver.isolation_level is None if autocommit == -1 else bool(autocommit)
    return bool(driver.autocommit)


def is_begun(driver: Any) -> bool:
    if isinstance(driver, sqlite3.Connection):
        return driver.in_transaction
    return int(driver.info.transaction_status) != 0
