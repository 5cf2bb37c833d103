"""Checks the way to PostgreSQL, for `rota doctor`: is a pooler on it, do wake-ups arrive."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg

from rota.clock import elapsed_s
from rota.errors import StoreUnavailable
from rota.ids import new_id
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.pool import Pool

ARRIVES_S = 5.0


def line_facts(pool: Pool, direct: Connector | None) -> Mapping[str, str | int]:
    """Return `pooler`: 0 or 1; `wakeups`: `arrive`, `lost`, `polled`, `unreachable`, `pooled`.

    The last two are about the direct way that the address names.
    """
    with pool.connection() as connection:
        pooler = int(not connection.is_ours)
        if direct is None:
            return {
                "pooler": pooler,
                "wakeups": "polled" if pooler else _hears(connection, connection),
            }
        try:
            with direct.connect() as past:
                return {"pooler": pooler, "wakeups": _hears(connection, past)}
        except (psycopg.Error, StoreUnavailable) as error:
            return {"pooler": pooler, "wakeups": "unreachable", "why": str(error).strip()}


def _hears(speaker: Connection, connection: Connection) -> str:
    """Return whether a notification of one connection arrives on the other."""
    if not connection.is_ours:
        return "pooled"
    connection.libpq.say(b"listen rota")
    try:
        word = f"doctor/{new_id()}"
        speaker.libpq.run(b"select pg_notify('rota', %(key)s)", {"key": word})
        end_s = elapsed_s() + ARRIVES_S
        while (left_s := end_s - elapsed_s()) > 0:
            for notice in connection.libpq.notices(left_s):
                if notice.extra.decode() == word:
                    return "arrive"
        return "lost"
    finally:
        connection.libpq.say(b"unlisten rota")
