"""Lock timeouts: a change of tables gets its lock soon, or gives way and tries again.

Every session behind a waiting lock waits as well, in line: one open transaction of an outsider, and
a migration behind it, would stop every worker. So a change gives up within a moment, rolls back,
lets the others pass and begins again; and it reports whom it waits for.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg

from rota.clock import elapsed_s
from rota.errors import StoreUnavailable
from rota.notices import emit

if TYPE_CHECKING:
    from rota.store.postgres.store import PostgresStore

T = TypeVar("T")

LOCK_MS = 200
LIMIT_S = 60.0
PAUSES_S = (0.2, 2.0)
"""The pause between tries: the first, and the longest."""


class _Held(Exception):
    """Another session holds a lock that we need."""


def patiently(store: PostgresStore, work: Callable[[Any], T], *, limit_s: float = LIMIT_S) -> T:
    """Do the work in a transaction; StoreUnavailable when others hold the tables for too long.

    The notice `migration.waits` names the sessions it waits for.
    """
    end_s, pause_s = elapsed_s() + limit_s, PAUSES_S[0]
    while True:
        try:
            return store.write(lambda tx: _hurry(tx, work))
        except _Held:
            who = store.read(_holders)
        if elapsed_s() > end_s:
            raise StoreUnavailable(
                f"the tables could not be changed within {limit_s:.0f} s: {who}; end that and run "
                "it again, nothing was changed"
            )
        emit("migration.waits", detail=who)
        time.sleep(pause_s * random.uniform(0.8, 1.2))  # others pass meanwhile
        pause_s = min(2 * pause_s, PAUSES_S[1])


def _hurry(tx: Any, work: Callable[[Any], T]) -> T:
    tx.one("migrate_lock")  # changes of tables queue up here, where nobody waits behind
    tx.script(f"set local lock_timeout = {LOCK_MS}")
    try:
        return work(tx)
    except psycopg.errors.LockNotAvailable as error:
        raise _Held from error


def _holders(tx: Any) -> str:
    """Return the sessions with open transactions that used our tables, the oldest first."""
    holders = [
        f"session {row['pid']} ({row['usename']}, {row['application_name'] or 'no name'}) is "
        f"{row['state'] or 'at work'} in a transaction since {row['seconds']} s"
        for row in tx.all("lock_holders")
    ]
    return "; ".join(holders) or "somebody held a lock on them, and is gone"
