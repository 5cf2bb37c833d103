"""Translates errors of psycopg for users of a store."""

from __future__ import annotations

import psycopg

from rota.errors import BadInput, CommitUnknown, RightMissing, StoreUnavailable
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.libpq import StatementMismatch

RETRIED = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure, StatementMismatch)
"""Errors after which nothing has happened, and the next try may do better."""


_OF_VALUES = (
    psycopg.DataError,
    psycopg.IntegrityError,
    psycopg.errors.ProgramLimitExceeded,
    psycopg.errors.RaiseException,
)


def is_fault_of_values(error: Exception) -> bool:
    """Whether the error concerns the values to be written, and not the server or the schema."""
    return isinstance(error, _OF_VALUES) or not isinstance(error, psycopg.Error)


def ask_if_broken(connection: Connection, error: psycopg.OperationalError) -> None:
    """Raise CommitUnknown for a connection that breaks while it commits."""
    if connection.closed and not isinstance(error, RETRIED):
        raise CommitUnknown(
            f"PostgreSQL went away during a commit: {str(error).strip()}"
        ) from error


def translated(
    error: psycopg.Error, connection: Connection, connector: Connector, *, is_in_room: bool
) -> Exception:
    """Return StoreUnavailable, with the server's own message, if it went away or refuses."""
    if isinstance(error, psycopg.errors.InsufficientPrivilege) and not is_in_room:
        # In a room it would be a mistake of ours.
        return RightMissing(
            f"PostgreSQL says {str(error).splitlines()[0]!r} to {connection.info.user}: this needs"
            " a login with more permissions; `rota db logins` lists them"
        )
    if isinstance(error, psycopg.DataError):
        # Of what people send, this is all that its texts cannot hold and SQLite's can.
        is_zero = (
            isinstance(error, psycopg.errors.UntranslatableCharacter) or error.sqlstate is None
        )
        return (
            BadInput("a text contains a zero byte, which PostgreSQL cannot store")
            if is_zero
            else error
        )
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        # It became a standby under us: new connections look for the server that is not.
        connector.renew()
        return StoreUnavailable("PostgreSQL cannot be written to: it is read-only now")
    # Whatever the error: a server that has hung up is away, as after a pause of this process.
    is_away = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    if is_away or connection.broken:
        return StoreUnavailable(f"PostgreSQL is not available: {str(error).strip()}")
    return error
