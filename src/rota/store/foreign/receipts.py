"""The table of receipts in the user's own database, PostgreSQL or SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from rota.store.foreign.connections import ForeignResult, foreign
from rota.store.kinds import dialect_named
from rota.store.statements import Statement, load_receipts


class Receipts:
    """Receipts in the transaction of a user's connection."""

    def __init__(self, connection: Any) -> None:
        self._foreign = foreign(connection)
        self._statements = _load_statements(self._foreign.dialect)

    def is_loose(self) -> bool:
        """Whether each statement is committed on its own."""
        return self._foreign.is_loose()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Roll back the block when it raises; the transaction itself goes on."""
        if self._foreign.dialect == "sqlite" and not self._foreign.is_begun():
            # sqlite3 begins before a write only, and a savepoint alone would commit by itself.
            # Immediate: one that reads first cannot wait for another writer any more.
            self._foreign.run("begin immediate", {})
        self._foreign.run("savepoint rota_receipt", {})
        try:
            yield
        except BaseException:
            self._foreign.run("rollback to savepoint rota_receipt", {})
            self._foreign.run("release savepoint rota_receipt", {})
            raise
        self._foreign.run("release savepoint rota_receipt", {})

    def take(self, run_id: str, step: str) -> bool:
        """Write the receipt; False when it is there already."""
        if not self._run("has_receipts").rows[0]["is_there"]:
            self._run("lock_receipts")
            self._run("make_receipts")
        return self._run("take_receipt", run_id=run_id, step=step).changed == 1

    def read(self, run_id: str, step: str) -> str | None:
        """Return the result that was kept, as JSON text."""
        rows = self._run("read_receipt", run_id=run_id, step=step).rows
        return rows[0]["result"] if rows else None

    def keep(self, run_id: str, step: str, result: str) -> None:
        self._run("keep_result", run_id=run_id, step=step, result=result)

    def _run(self, name: str, **params: str) -> ForeignResult:
        return self._foreign.run(self._statements[name].text, params)


@cache
def _load_statements(dialect: str) -> dict[str, Statement]:
    return load_receipts(dialect_named(dialect))
