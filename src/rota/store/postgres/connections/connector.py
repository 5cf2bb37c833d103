"""The connector: does not storm a server with connections while it is away or restarts.

One dialer serves all pools of a process. After a failure it rests, with jitter, and all callers in
that time share the next attempt; new connections beyond the first come at a bounded pace.
"""

from __future__ import annotations

import random
import time
from threading import Condition, get_ident
from typing import NamedTuple
from weakref import WeakValueDictionary

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.types.string import TextLoader

from rota.clock import elapsed_s
from rota.errors import StoreRefused, StoreUnavailable
from rota.store.descriptors import check_descriptors
from rota.store.postgres.connections.connection import SESSION, Connection
from rota.store.postgres.connections.leftovers import Leftovers
from rota.store.postgres.connections.libpq import LibpqConnection

DEFAULTS = {
    "application_name": "rota",
    "connect_timeout": "5",
    # A server that vanished without a word is noticed within some 15 s, not two hours.
    "keepalives_idle": "5",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    # Of several hosts the one that can be written to; a standby is refused, not read from.
    "target_session_attrs": "read-write",
}
"""Settings that an address may override."""
FIRST_REST_S = 0.25
LONGEST_REST_S = 1.0
SHARED_S = 15.0
"""How long to wait for another thread's attempt; each host of an address has 5 s."""
PACE_S = 0.3
"""The pause between new connections after the first ones; three a second fill any pool."""
REFUSALS = (
    "authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    '" does not exist',
)
"""Answers of a server to a wrong address; in English, as by default."""


def past(conninfo: str, direct: str) -> str:
    """Return the address of the server behind a pooler: HOST[:PORT][/DATABASE], else unchanged."""
    place, _, database = direct.partition("/")
    host, _, port = place.partition(":")
    overrides = {"host": host, "port": port or "5432", "dbname": database}
    settings = conninfo_to_dict(conninfo) | {
        name: value for name, value in overrides.items() if value
    }
    return make_conninfo("", **settings)


class SessionQuestions(NamedTuple):
    """Queries on a new connection; statements of ours (store/sql)."""

    timeline: bytes | None = None
    own_session: bytes = b"select concat(pg_backend_pid(), ':') as session"
    gone_sessions: bytes | None = None
    long_statements: bytes | None = None


NO_QUESTIONS = SessionQuestions()


class Connector:
    """Makes all connections of a process to one address.

    Besides `burst` of them there may be as many that were given up and that the server still holds.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        burst: int,
        questions: SessionQuestions = NO_QUESTIONS,
        prepares: bool = True,
    ) -> None:
        self.epoch = 0
        """Grows when connections made before must not be used any more."""
        self.is_shared = False
        """Whether some session of the server turned out to serve others as well."""
        self.leftovers = Leftovers(
            2 * burst, gone=questions.gone_sessions, still_busy=questions.long_statements
        )
        self._conninfo = conninfo
        self._burst = burst
        self._timeline = questions.timeline
        self._own_session = questions.own_session
        self._prepares = prepares
        self._changed = Condition()
        self._failures = 0
        self._dialling: set[int] = set()
        """The threads that make a connection at the moment."""
        self._attempts = 0
        """The number of attempts that have ended."""
        self._rests_until_s = 0.0
        self._why = ""
        self._spent_s = 0.0
        """The time at which all connections so far are paid for, at PACE_S each."""
        self._newest: dict[str, int] = {}
        self._made: WeakValueDictionary[int, Connection] = WeakValueDictionary()

    def is_mine(self, pid: int) -> bool:
        """Whether a process of the server serves us."""
        connection = self._made.get(pid)
        return connection is not None and not connection.closed

    def connect(self) -> Connection:
        """Return a new connection, or raise StoreUnavailable with the server's own message.

        While the server is away all callers share one attempt, after a rest of a second at most.
        """
        check_descriptors(deep=True)  # a number that is free by mistake must not be its socket's
        rest_s = self._turn_s()
        try:
            time.sleep(rest_s)
            connection = self._dial()
        except BaseException as error:
            self._failed(error)
            if isinstance(error, psycopg.Error):
                raise _unavailable(error) from error
            raise
        with self._changed:
            self._failures = 0
            self._attempt_ended()
            if connection.is_ours:
                self._made[connection.info.backend_pid] = connection
        return connection

    def renew(self) -> None:
        """Retire all connections: the server was demoted, so they lead to the wrong one."""
        with self._changed:
            self.epoch += 1

    def share(self) -> None:
        """Note that others use a session of ours: nothing is prepared or set there from now on."""
        with self._changed:
            self.is_shared = True
            self.epoch += 1

    def _dial(self) -> Connection:
        settings = make_conninfo("", **(DEFAULTS | conninfo_to_dict(self._conninfo)))
        connection = Connection.connect(settings, autocommit=True, row_factory=dict_row)
        # Ids are text to us; making UUIDs of them first took 5 % of a worker's time.
        connection.adapters.register_loader("uuid", TextLoader)
        # Psycopg would number the statements it prepares, and so mistake one for another in a
        # session that is not ours alone.
        connection.prepare_threshold = None
        connection.libpq = LibpqConnection(connection, mixed_up=self.share)
        try:
            self._refuse_the_past(connection)
            self._settle_in(connection)
            self.leftovers.admit(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _turn_s(self) -> float:
        """Return how long to wait before dialling; raises when another thread's attempt failed."""
        with self._changed:
            while self._must_share():
                self._share()
            self._dialling.add(get_ident())
            now_s = elapsed_s()
            self._spent_s = max(self._spent_s, now_s) + PACE_S
            pace_s = self._spent_s - now_s - self._burst * PACE_S
            rest_s = self._rests_until_s - now_s if self._failures else 0.0
            return max(0.0, pace_s, rest_s)

    def _must_share(self) -> bool:
        """Whether the attempts in progress are all that may be made now.

        A server that was away, or that may hold too many of ours already, gets one attempt at a
        time.
        """
        if not self._dialling:
            return False
        return self._failures > 0 or not self.leftovers.has_room(beside=len(self._dialling))

    def _share(self) -> None:
        """Wait for an attempt in progress; the lock is held.

        If none ends, the threads that made them are gone: the turn is ours.
        """
        before = self._attempts
        is_over = self._changed.wait_for(lambda: self._attempts != before, timeout=SHARED_S)
        if not is_over:
            self._dialling.clear()
        elif self._failures:
            raise StoreUnavailable(self._why)

    def _attempt_ended(self) -> None:
        """Note the end of an attempt; the lock is held."""
        self._dialling.discard(get_ident())
        self._attempts += 1
        self._changed.notify_all()

    def _failed(self, error: BaseException) -> None:
        with self._changed:
            self._attempt_ended()
            if not isinstance(error, psycopg.Error | StoreUnavailable):
                return  # the caller was stopped, which says nothing about the server
            self._failures += 1
            self._why = _reason(error)
            rest_s = min(LONGEST_REST_S, FIRST_REST_S * 2.0 ** (self._failures - 1))
            self._rests_until_s = elapsed_s() + rest_s * random.uniform(0.5, 1.0)

    def _refuse_the_past(self, connection: Connection) -> None:
        """Refuse a server on an older timeline than we have seen: it was failed over from."""
        if self._timeline is None:
            return
        try:
            row = connection.execute(self._timeline).fetchone()
        except (psycopg.ProgrammingError, psycopg.NotSupportedError):
            self._timeline = None  # not every server allows this query
            return
        system, timeline = (str(row["system"]), int(row["timeline"])) if row else ("", 0)
        if timeline < self._newest.get(system, 0):
            raise StoreUnavailable(
                f"PostgreSQL at {connection.info.host} is on timeline {timeline}, but timeline "
                f"{self._newest[system]} was seen: this is an old primary; stop it"
            )
        self._newest[system] = timeline

    def _settle_in(self, connection: Connection) -> None:
        """Read the server's own session number; a pooler gives each client one that it made up."""
        row = connection.execute(self._own_session).fetchone()
        session = str(row["session"]) if row else ""
        is_server = session.partition(":")[0] == str(connection.info.backend_pid)
        connection.is_ours = is_server and not self.is_shared
        if connection.is_ours:
            connection.session = session
            connection.execute(SESSION)
        connection.libpq.prepares = self._prepares and connection.is_ours


def _unavailable(error: psycopg.Error) -> StoreUnavailable:
    """Return the error; a refusal by a server is no outage. Psycopg only has texts for it."""
    message = _reason(error)
    return (
        StoreRefused(message)
        if any(each in message for each in REFUSALS)
        else StoreUnavailable(message)
    )


def _reason(error: BaseException) -> str:
    return f"cannot connect to PostgreSQL: {str(error).strip()}"
