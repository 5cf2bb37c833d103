"""PostgreSQL: a small pool, READ COMMITTED, no session state that a pooler would lose.

NOTIFY is a hint. It goes after the commit, so that it never serialises the commits of
others, or with one that stands alone while those are quick (ADR 14).
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any, TypeVar

import msgspec
import psycopg

from rota.clock import elapsed_s
from rota.errors import CommitUnknown, StoreUnavailable
from rota.store.base import Rider, Row, Tx, Watch
from rota.store.options import PoolOptions
from rota.store.partitions import rotate
from rota.store.postgres_dialect import DIALECT
from rota.store.postgres_dialer import Connection, Dialer
from rota.store.postgres_guard import Guard
from rota.store.postgres_pool import Pool
from rota.store.postgres_presence import Sessions
from rota.store.postgres_wakeups import Listener, Notifier
from rota.store.statements import load
from rota.store.wakeups import Wakeups

T = TypeVar("T")

RETRIED = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)
TRIES = 5
ANSWER_S = 30.0
"""How long any one statement may take before its connection is given up."""
BEAT_S = 10.0
"""The same for heartbeats, which are tiny: half a lease."""
# A machine that is paused inside a transaction would hold its locks until it wakes up, and a chore
# of everybody with them. Local, so that it works behind a pooler; costs 12 us.
# A plan is kept until the next ANALYZE. One that was made while the live table was empty reads all
# of it, however it has grown since: a map of 100,000 items took 68 s instead of 10. What has no
# index is still read whole; compiling for that would be in vain.
BEGIN = (
    b"begin; set local idle_in_transaction_session_timeout = 5000;"
    b" set local enable_seqscan = off; set local jit = off"
)

TELLING = b"""with done as (%s returning 1)
select (select count(*) from done) as changed,
       (select count(pg_notify('rota', key))
          from json_array_elements_text(cast(%%(told)s as json)) as key) as told"""
TOLD_WITHIN = ("insert_runs",)
"""Statements that stand alone and may carry their own NOTIFY."""


class PostgresTx:
    """A transaction on one psycopg connection."""

    def __init__(
        self,
        connection: Connection,
        statements: dict[str, bytes],
        now: int | None,
        guard: Guard,
        limit_s: float,
        memo: dict[Any, Any],
    ) -> None:
        self._connection = connection
        self._guard = guard
        self._limit_s = limit_s
        self._statements = statements
        self._now = now
        self.memo = memo
        self.fresh: dict[Any, Any] = {}
        self.woken: set[str] = set()
        self.rung = 0
        self.told: set[str] = set()
        """Those whose NOTIFY is part of this transaction."""
        self.choose: Callable[[Collection[str]], set[str]] | None = None
        self.statements_left: int | None = None

    def one(self, name: str, /, **params: Any) -> Row | None:
        return self._run(name, params).fetchone()

    def all(self, name: str, /, **params: Any) -> list[Row]:
        rows: list[Row] = list(self._run(name, params).fetchall())
        return rows

    def execute(self, name: str, /, **params: Any) -> int:
        if self.woken and self.choose is not None and name in TOLD_WITHIN:
            self.told = self.choose(self.woken)
            if self.told:
                return self._execute_and_tell(name, params)
        return self._run(name, params).rowcount

    def _execute_and_tell(self, name: str, params: dict[str, Any]) -> int:
        params["told"] = json.dumps(list(self.told))
        row = self._run(f"{name} and tell", params).fetchone()
        return int(row["changed"]) if row else 0

    def notify(self, queues: Collection[str]) -> None:
        self.woken.update(queues)
        self.rung += 1

    def raw(self, text: str, params: Any = None, /) -> list[Row]:
        cursor = self._connection.execute(text.encode(), params)
        return list(cursor.fetchall()) if cursor.description else []

    def script(self, text: str) -> None:
        """Run statements that have no parameters, for migrations and partitions."""
        self._guard.expect(self._connection, inf)
        self._connection.execute(text.encode(), prepare=False)

    def _run(self, name: str, params: dict[str, Any]) -> psycopg.Cursor[dict[str, Any]]:
        if self.statements_left is not None:
            self.statements_left -= 1
            if self.statements_left < 0:
                raise AssertionError(f"{name} is not alone in a transaction that promised to be")
        params["now"] = self._now
        self._guard.expect(self._connection, self._limit_s)
        return self._connection.execute(self._statements[name], params)


class PostgresStore:
    """Everything in schema `rota` of one database."""

    dialect = "postgres"

    def __init__(
        self,
        url: str,
        conninfo: str,
        options: PoolOptions,
        *,
        clock: Callable[[], int] | None = None,
    ) -> None:
        self.url = url
        self._clock = clock
        self._memo: dict[Any, Any] = {}
        self._statements = {name: each.text.encode() for name, each in load(DIALECT).items()}
        self._statements |= {
            f"{name} and tell": TELLING % self._statements[name] for name in TOLD_WITHIN
        }
        timeline = self._statements["timeline"]
        dialer = self._dialer = Dialer(conninfo, burst=options.size + 2, timeline=timeline)
        self._guard = Guard()
        self._pool = Pool(dialer, self._guard, options, limit_s=ANSWER_S)
        # Heartbeats must not wait behind the work they vouch for.
        lone = msgspec.structs.replace(options, size=1)
        self._reserve = Pool(dialer, self._guard, lone, limit_s=BEAT_S)
        self.wakeups = Wakeups()
        self._notifier = Notifier(self._send)
        whoami = self._statements["own_session"]
        self._listener = Listener(dialer, self.wakeups, whoami=whoami)
        # A pooler's session outlives the processes it serves.
        self.presence = Sessions(self.read, self._listener if options.prepares else None)

    def write(self, work: Callable[[Tx], T], *, urgent: bool = False, lone: bool = False) -> T:
        pool = self._reserve if urgent else self._pool
        transact = self._transact_lone if lone else self._transact
        for tries_left in reversed(range(TRIES)):
            try:
                return transact(work, pool)
            except RETRIED:
                if not tries_left:
                    raise
                time.sleep(random.uniform(0.001, 0.02) * (TRIES - tries_left))
        raise AssertionError("unreachable")

    def read(self, work: Callable[[Tx], T]) -> T:
        return self._transact(work, self._pool)

    def ride(self, rider: Rider) -> Watch:
        """Kept on a list but never called.

        Workers live in other processes here, and a claim inside a client's transaction
        would hold row locks for as long as that lasts, and could fail it.
        """
        return self.wakeups.ride(rider)

    def watch(self, wake: Callable[[str], None]) -> Watch:
        self._listener.start()
        return self.wakeups.watch(wake)

    def rotate(self, *, keep_good_ms: int, keep_bad_ms: int) -> None:
        """Make the partitions of the coming days and drop those past retention."""
        self._transact(
            lambda tx: rotate(tx, keep_good_ms=keep_good_ms, keep_bad_ms=keep_bad_ms), self._pool
        )

    def facts(self) -> dict[str, str | int]:
        """Nothing: its files are on another machine, or should be nobody's business."""
        return {}

    def close(self) -> None:
        self._notifier.stop()
        self._listener.stop()
        self._reserve.close()
        self._pool.close()
        self._guard.stop()

    def _transact(self, work: Callable[[PostgresTx], T], pool: Pool) -> T:
        with pool.connection() as connection, _outages(connection, self._dialer):
            tx = self._tx(connection, pool)
            # By hand: connection.transaction() costs 60 us more.
            connection.execute(BEGIN)
            try:
                answer = work(tx)
            except BaseException:
                if not connection.broken:
                    connection.execute(b"rollback")
                raise
            self._guard.expect(connection, pool.limit_s)
            with _unknown_if_broken(connection):
                connection.execute(b"commit")
            self._tell(tx.woken, connection)
            return answer

    def _transact_lone(self, work: Callable[[PostgresTx], T], pool: Pool) -> T:
        """One statement is a transaction by itself: saves two round trips of a short verb."""
        with pool.connection() as connection, _outages(connection, self._dialer):
            tx = self._tx(connection, pool)
            tx.statements_left = 1
            tx.choose = self._notifier.take_quiet
            begin_s = elapsed_s()
            with _unknown_if_broken(connection):
                answer = work(tx)
            if tx.woken:
                self._notifier.measure(elapsed_s() - begin_s)
            self._tell(tx.woken, connection, told=tx.told)
            return answer

    def _tell(self, woken: set[str], connection: Connection, *, told: Collection[str] = ()) -> None:
        """After the commit: wake this process, then the others that were not told by it."""
        if woken:
            self.wakeups.ring(woken)
            if left := woken.difference(told):
                self._notifier.ring(left, lambda keys: _notify(connection, keys))

    def _tx(self, connection: Connection, pool: Pool) -> PostgresTx:
        now = self._clock() if self._clock else None
        return PostgresTx(connection, self._statements, now, self._guard, pool.limit_s, self._memo)

    def _send(self, keys: Collection[str]) -> None:
        with self._pool.connection() as connection:
            _notify(connection, keys)


def _notify(connection: Connection, keys: Collection[str]) -> None:
    for key in keys:
        connection.execute(b"select pg_notify('rota', %s)", (key,))


@contextmanager
def _unknown_if_broken(connection: Connection) -> Iterator[None]:
    """A connection that breaks while it commits leaves the question whether it did."""
    try:
        yield
    except psycopg.OperationalError as error:
        if connection.closed and not isinstance(error, RETRIED):
            raise CommitUnknown(
                f"PostgreSQL went away during a commit: {str(error).strip()}"
            ) from error
        raise


@contextmanager
def _outages(connection: Connection, dialer: Dialer) -> Iterator[None]:
    """The server went away or refuses: StoreUnavailable, with its own words."""
    try:
        yield
    except RETRIED:
        raise
    except psycopg.errors.ReadOnlySqlTransaction as error:
        # It became a standby under us: new connections look for the server that is not.
        dialer.renew()
        raise StoreUnavailable("PostgreSQL cannot be written to: it is read-only now") from error
    except psycopg.Error as error:
        # Whatever it said: who has hung up is away, for instance after a pause of this process.
        is_away = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        if not is_away and not connection.broken:
            raise
        raise StoreUnavailable(f"PostgreSQL is not available: {str(error).strip()}") from error
