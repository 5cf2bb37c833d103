"""The PostgreSQL store: a small pool, READ COMMITTED, no session state that a pooler would lose.

NOTIFY is a hint. It goes after the commit, so that it never serialises the commits of others, or
with one that stands alone while those are quick (ADR 14).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import psycopg

from rota.clock import elapsed_s
from rota.shield import shielded
from rota.store.access.row_security import room_of
from rota.store.base import CommitParticipant, ScopedStore, Tx, Wake, Watch
from rota.store.options import PoolOptions
from rota.store.postgres.commit_participants import JoinedParticipants
from rota.store.postgres.connections.connection import BEGIN, BEGIN_AWAY, Connection
from rota.store.postgres.connections.connector import Connector, SessionQuestions, past
from rota.store.postgres.connections.pool import Pool
from rota.store.postgres.connections.timeouts import StatementTimeouts
from rota.store.postgres.errors import RETRIED, ask_if_broken, translated
from rota.store.postgres.listener import Listener, ListenerNeeds
from rota.store.postgres.notify import Notifier
from rota.store.postgres.partitions import rotate
from rota.store.postgres.pooler_check import line_facts
from rota.store.postgres.presence import Sessions
from rota.store.postgres.retries import once_more, retried
from rota.store.postgres.statement_texts import known, known_in_rooms, known_to
from rota.store.postgres.tx import PostgresTx
from rota.store.wakeups import Wakeups

T = TypeVar("T")

ANSWER_S = 30.0
"""How long any one statement may take before its connection is given up."""
BEAT_S = 10.0
"""The limit for heartbeats, which are tiny: half a lease."""
ROLE_S = 60.0
"""How long the role of servers is cached; somebody may switch row-level security on meanwhile."""


class PostgresStore:
    """A store in schema `rota` of one database."""

    dialect = "postgres"
    login: str | None = None
    lost = None

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
        self._statements = known()
        self._role: tuple[str | None, float] | None = None
        self._connector, self._direct = self._make_connectors(conninfo, options)
        connector = self._connector
        self._timeouts = StatementTimeouts()
        self._pool = Pool(connector, self._timeouts, options, limit_s=ANSWER_S)
        # Heartbeats must not wait behind the work they vouch for.
        lone = msgspec.structs.replace(options, size=1)
        self._reserve = Pool(connector, self._timeouts, lone, limit_s=BEAT_S)
        self.wakeups = Wakeups()
        self._notifier = Notifier(self._send)
        means = ListenerNeeds(
            connector=connector,
            direct=self._direct,
            timeouts=self._timeouts,
            snapshot=self._statements["snapshot"],
            news=self._statements["news"],
            is_gone=lambda session: bool(self.presence.gone({session})),
        )
        self._listener = Listener(means, self.wakeups)
        self.presence = Sessions(self.read, self._listener)

    def _make_connectors(
        self, conninfo: str, options: PoolOptions
    ) -> tuple[Connector, Connector | None]:
        """Return the connector for everything, and one past a pooler if the address has that."""
        names = ("timeline", "own_session", "gone_sessions", "long_statements")
        questions = SessionQuestions(*[self._statements[name] for name in names])
        burst = options.size + 2
        connector = Connector(conninfo, burst=burst, questions=questions, prepares=options.prepares)
        if options.direct is None:
            return connector, None
        return connector, Connector(past(conninfo, options.direct), burst=1, questions=questions)

    @shielded
    def write(
        self,
        work: Callable[[Tx], T],
        *,
        urgent: bool = False,
        lone: bool = False,
        joinable: bool = False,
    ) -> T:
        pool = self._reserve if urgent else self._pool
        participants = self.wakeups.participants() if joinable else ()
        try:
            return self._transact(work, pool, lone=lone, participants=participants)
        except RETRIED:
            return once_more(
                lambda: self._transact(work, pool, lone=lone, participants=participants)
            )

    @shielded
    def read(self, work: Callable[[Tx], T]) -> T:
        # A day that is dropped may stand in the way of a look at several.
        return retried(lambda: self._transact(work, self._pool))

    def scoped(self, namespaces: Collection[str]) -> ScopedStore:
        """Return the store under the role of servers, if any (store.access.row_security)."""
        role = self.room_role()
        return self if role is None else _ScopedStore(self, room_of(role, namespaces))

    def room_role(self) -> str | None:
        """Return the role of servers; None while row-level security is not switched on."""
        if self._role is None or self._role[1] < elapsed_s():
            row = self.read(lambda tx: tx.one("room_role"))
            self._role = row["role"] if row else None, elapsed_s() + ROLE_S
        return self._role[0]

    def join_commits(self, participant: CommitParticipant) -> Watch:
        """Let the participant join those transactions that are marked as joinable.

        A claim inside a client's transaction would hold row locks for as long as that lasts.
        """
        return self.wakeups.join_commits(participant)

    def watch(self, wake: Wake, *, heard: Wake | None = None) -> Watch:
        watch = self.wakeups.watch(wake, heard)
        self._listener.start()  # after that: it sleeps while nobody wants to hear
        return watch

    def rotate(self, *, keep_good_ms: int, keep_bad_ms: int) -> None:
        """Make the partitions of the coming days and drop those past retention."""

        def work(tx: PostgresTx) -> None:
            rotate(tx, keep_good_ms=keep_good_ms, keep_bad_ms=keep_bad_ms)

        retried(lambda: self._transact(work, self._pool))

    def know_login(self) -> None:
        """Note the kind of our login: restricted ones have statements of their own (ADR 31)."""
        row = self.read(lambda tx: tx.one("whoami"))
        self.login = row["kind"] if row else None
        if self.login is not None:
            self._statements = known_to(self.login)

    def facts(self) -> Mapping[str, str | int]:
        """Return how we reach the server; its files are on another machine, or private."""
        return line_facts(self._pool, self._direct)

    def close(self) -> None:
        self._notifier.stop()
        self._listener.stop()
        self._reserve.close()
        self._pool.close()
        self._timeouts.stop()

    @shielded
    def transact_in(self, room: bytes, work: Callable[[PostgresTx], T]) -> T:
        """Run a transaction that begins in a room."""
        return retried(lambda: self._transact(work, self._pool, room=room))

    def _transact(
        self,
        work: Callable[[PostgresTx], T],
        pool: Pool,
        *,
        lone: bool = False,
        participants: Sequence[CommitParticipant] = (),
        room: bytes = b"",
    ) -> T:
        # By hand: generators as context managers cost 50 us after a rest.
        line = pool.take()
        connection = line.connection
        try:
            tx = self._tx(connection, pool, is_in_room=bool(room))
            if lone:
                return self._transact_lone(work, tx, connection)
            return self._transact_whole(work, tx, connection, participants, room)
        except RETRIED:
            raise
        except psycopg.Error as error:
            meant = translated(error, connection, self._connector, is_in_room=bool(room))
            if meant is error:
                raise
            raise meant from error
        finally:
            pool.give_back(line)

    def _transact_whole(
        self,
        work: Callable[[PostgresTx], T],
        tx: PostgresTx,
        connection: Connection,
        participants: Sequence[CommitParticipant],
        room: bytes,
    ) -> T:
        # By hand: connection.transaction() costs 60 us more.
        connection.libpq.say((BEGIN if connection.is_ours else BEGIN_AWAY) + room)
        with JoinedParticipants() as joined_work:
            try:
                answer = work(tx)
                if participants and tx.keys():
                    joined_work.join(tx, connection, participants)
            except BaseException:
                if not connection.broken:
                    connection.libpq.say(b"rollback")
                raise
            tx.expect_answer()
            try:
                connection.libpq.say(b"commit")
            except psycopg.OperationalError as error:
                ask_if_broken(connection, error)
                raise
            joined_work.committed()
        self._tell(tx.keys(), connection)
        return answer

    def _transact_lone(
        self, work: Callable[[PostgresTx], T], tx: PostgresTx, connection: Connection
    ) -> T:
        """Run one statement as its own transaction: saves two round trips of a short verb."""
        tx.statements_left = 1
        tx.choose = self._notifier.take_quiet
        begin_s = elapsed_s()
        try:
            answer = work(tx)
        except psycopg.OperationalError as error:
            ask_if_broken(connection, error)
            raise
        if tx.woken:
            self._notifier.measure(elapsed_s() - begin_s)
        self._tell(tx.woken, connection, told=tx.told)
        return answer

    def _tell(self, woken: set[str], connection: Connection, *, told: Collection[str] = ()) -> None:
        """After the commit: wake this process, then the others that the commit did not notify."""
        if woken:
            self._listener.quicken()
            self.wakeups.ring(woken)
            if left := woken.difference(told):
                self._notifier.ring(left, lambda keys: _notify(connection, keys))

    def _tx(self, connection: Connection, pool: Pool, *, is_in_room: bool = False) -> PostgresTx:
        now = self._clock() if self._clock else None
        texts = known_in_rooms() if is_in_room else self._statements
        return PostgresTx(connection, texts, now, self._timeouts, pool.limit_s, self._memo)

    def _send(self, keys: Collection[str]) -> None:
        with self._pool.connection() as connection:
            _notify(connection, keys)


class _ScopedStore:
    """The store limited to some namespaces."""

    def __init__(self, store: PostgresStore, begin: bytes) -> None:
        self._store = store
        self._begin = begin

    def write(self, work: Callable[[Tx], T]) -> T:
        return self._store.transact_in(self._begin, work)

    def read(self, work: Callable[[Tx], T]) -> T:
        return self._store.transact_in(self._begin, work)


def _notify(connection: Connection, keys: Collection[str]) -> None:
    for key in keys:
        connection.libpq.run(b"select pg_notify('rota', %(key)s)", {"key": key})
