"""A connection to PostgreSQL, and the settings of its session."""

from __future__ import annotations

from typing import Any

import psycopg

from rota.store.postgres.connections.libpq import LibpqConnection

SETTINGS = {
    # A machine that is paused inside a transaction would hold its locks until it wakes up, and a
    # chore of everybody with them.
    "idle_in_transaction_session_timeout": "5000",
    # A plan is kept until the next ANALYZE. One that was made while the live table was small reads
    # all of it, however it has grown since: by the index, whatever the planner thinks (ADR 18).
    # What has no index is still read whole; compiling for that would be in vain.
    "enable_seqscan": "off",
    "jit": "off",
}
PATIENCE = {
    # The server's side of DEFAULTS: a client that vanished without a word is noticed within half
    # a minute, and does not keep one of the server's connections for two hours.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


def _said_as(verb: str, settings: dict[str, str]) -> bytes:
    return "; ".join(f"{verb} {name} = {value}" for name, value in settings.items()).encode()


SESSION = _said_as("set", SETTINGS | PATIENCE)
BEGIN = b"begin"
BEGIN_AWAY = b"begin; " + _said_as("set local", SETTINGS)
"""Begins a transaction behind a pooler, whose sessions others use as well; costs 8 us."""


class Connection(psycopg.Connection[dict[str, Any]]):
    """A connection to the server itself, or to a pooler that shares out sessions."""

    is_ours = False
    """Whether the session stays the same and is used by nobody else: it has our settings.

    Only there statements are prepared; elsewhere each is planned when it comes.
    """
    session: str | None = None
    """The name of the session in the server; None when we do not know which one serves us."""
    libpq: LibpqConnection
    """Sends statements."""
    is_dropped = False
    """Whether we closed it, broken or not."""

    def close(self) -> None:
        self.is_dropped = True
        super().close()
        self.pgconn.finish()  # psycopg leaves that of a broken one to the garbage collector
