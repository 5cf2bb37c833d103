"""The user's own transaction as a Rota transaction: Rota neither begins nor ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any, TypeVar

import msgspec

from rota.clock import elapsed_s
from rota.errors import WrongConnection
from rota.store.base import Ask, Row
from rota.store.foreign.connections import ForeignConnection, ForeignResult
from rota.store.kinds import dialect_named
from rota.store.statements import Statement, load

T = TypeVar("T")
QUIET_S = 0.01


class ForeignTx:
    """The caller's transaction with the same statements, by the same names, as ours."""

    def __init__(self, connection: ForeignConnection) -> None:
        self._foreign = connection
        self.dialect = self._foreign.dialect
        if self._foreign.is_loose():
            raise WrongConnection(
                "the connection commits each statement by itself (autocommit); begin a "
                "transaction first, so that the run exists if and only if you commit"
            )
        self._statements = _load_statements(self.dialect)
        self.memo: dict[Any, Any] = {}
        self.fresh: dict[Any, Any] = {}
        self.drafts: dict[str, dict[str, Any]] = {}
        self.is_careful = False
        self.wake_count = 0
        # On the same machine: an SQLite before 3.42 cannot tell milliseconds. Not rounded, as in
        # our own transactions: half of all times would be a bit in the future.
        self._now = int(time.time() * 1000) if self.dialect == "sqlite" else None

    def one(self, name: str, /, **params: Any) -> Row | None:
        rows = self.all(name, **params)
        return rows[0] if rows else None

    def all(self, name: str, /, **params: Any) -> list[Row]:
        return self._run(name, params).rows

    def tuples(self, name: str, /, **params: Any) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self.all(name, **params)]

    def execute(self, name: str, /, **params: Any) -> int:
        return self._run(name, params).changed

    def insert(self, name: str, rows: Sequence[msgspec.Struct], /, **params: Any) -> None:
        raise NotImplementedError(f"{name} is for our own transactions")

    def execute_all(self, asks: Sequence[Ask]) -> None:
        for name, params in asks:
            self._run(name, params)

    def notify(self, queues: Collection[str]) -> None:
        """Send a hint on commit; on SQLite the watch of the file sees the commit anyway."""
        self.wake_count += 1
        if self.dialect == "postgres":
            for key in _quiet.pick(queues):
                self.all("wake", key=key)

    def offer(self, runs: Mapping[str, str]) -> None:
        self.notify(set(runs.values()))

    def taken(self, run_ids: Iterable[str]) -> None:
        """Do nothing: no worker claims in a transaction of the user's own."""

    def part(self, work: Callable[[], T]) -> T:
        """Run the work as it is: the user decides about errors in their own transaction."""
        return work()

    def raw(self, text: str, params: Any = None, /) -> list[Row]:
        return self._foreign.run(text, params or {}).rows

    def _run(self, name: str, params: dict[str, Any]) -> ForeignResult:
        return self._foreign.run(self._statements[name].text, params | {"now": self._now})


class _Quiet:
    """Lets a key pass at most every 10 ms.

    Commits that notify share one lock in the server, so that a program which submits in each of its
    transactions would line all of them up. The hint before a dropped one covers it, or the poll.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._told_s: dict[str, float] = {}

    def pick(self, keys: Collection[str]) -> list[str]:
        now_s = elapsed_s()
        with self._lock:
            due = [key for key in keys if now_s - self._told_s.get(key, 0.0) >= QUIET_S]
            self._told_s.update(dict.fromkeys(due, now_s))
        return due


_quiet = _Quiet()


@cache
def _load_statements(dialect: str) -> dict[str, Statement]:
    return load(dialect_named(dialect))
