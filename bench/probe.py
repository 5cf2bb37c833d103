"""Observe a store from outside: what has been recorded, and when, by its own clock."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import apsw
import psycopg

from rota.store.open import file_of

WAIT_S = 60.0
POLL_S = 0.025


class BenchFailed(Exception):
    """Work was lost, failed or took too long, so the figures would be worthless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Runs that ended since a moment: their number, the first claim, the last end, in ms."""

    count: int
    first_ms: int
    last_ms: int


class Query(Protocol):
    def __call__(self, statement: str, /) -> list[tuple[Any, ...]]: ...


class Probe:
    """Reads by its own connection; `{s}` in a statement is the schema."""

    def __init__(self, url: str) -> None:
        path = file_of(url)
        self.is_postgres = path is None
        self._query = _postgres(url) if path is None else _sqlite(str(path))

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        return self._query(statement.format(s="rota." if self.is_postgres else "rota_"))

    def await_workers(self, count: int) -> None:
        """Wait until `count` workers are registered."""
        deadline = time.monotonic() + WAIT_S
        while self.ask("select count(*) from {s}worker")[0][0] < count:
            if time.monotonic() > deadline:
                raise BenchFailed(f"no {count} workers within {WAIT_S:.0f} s")
            time.sleep(POLL_S)

    def await_done(self, count: int, *, since_ms: int, last: str) -> Span:
        """Wait until no run is live; `count` runs must have succeeded since then.

        `last` is the run submitted last. Reading it is cheap, while a look at the live table passes
        all dead rows on PostgreSQL: 9 ms of a core that the workers need.
        """
        self.await_ended(last, limit_s=WAIT_S)
        found, first_ms, last_ms = self.ask(
            "select count(*), min(started_at), max(finished_at) from {s}run_history"
            f" where state = 'success' and started_at >= {since_ms} and result is not null"
        )[0]
        if found != count:
            raise BenchFailed(f"{found} of {count} runs are recorded as done with a result")
        return Span(count=found, first_ms=first_ms, last_ms=last_ms)

    def await_ended(self, last: str, *, limit_s: float) -> None:
        """Wait until this run has ended and no run is live."""
        deadline = time.monotonic() + limit_s
        while not self._is_over(last):
            if time.monotonic() > deadline:
                raise BenchFailed(f"the runs are not done within {limit_s:.0f} s")
            time.sleep(POLL_S)

    def count_done(self, job: str, *, since_ms: int) -> int:
        """Return how many runs of a job have succeeded since then."""
        count: int = self.ask(
            "select count(*) from {s}run_history"
            f" where state = 'success' and job = '{job}' and started_at >= {since_ms}"
        )[0][0]
        return count

    def results(self, job: str, *, since_ms: int) -> list[float]:
        """Return the results of a job's runs, which must be numbers."""
        rows = self.ask(
            "select result from {s}run_history"
            f" where state = 'success' and job = '{job}' and started_at >= {since_ms}"
        )
        return [float(row[0]) for row in rows]

    def close(self) -> None:
        self._query = _closed

    def _is_over(self, last: str) -> bool:
        is_ended = "select 1 from {s}run_history where id = '" + last + "'"
        return bool(self.ask(is_ended)) and not self.ask("select 1 from {s}run limit 1")


def now_ms() -> int:
    """Return the clock of the stores, which are on this machine."""
    return time.time_ns() // 1_000_000


def _closed(statement: str, /) -> list[tuple[Any, ...]]:
    raise BenchFailed(f"the probe is closed: {statement}")


def _sqlite(path: str) -> Query:
    connection = apsw.Connection(path)
    connection.set_busy_timeout(10_000)
    return lambda statement: list(connection.execute(statement))


def _postgres(url: str) -> Query:
    connection = psycopg.connect(url, autocommit=True)

    def query(statement: str, /) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

    return query
