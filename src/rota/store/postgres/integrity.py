"""Checks the indexes of PostgreSQL with its extension amcheck, where that is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg

from rota.errors import RightMissing
from rota.rules.insight.integrity import Integrity
from rota.store.base import Tx

HINT = "`create extension amcheck` in this database, then ask again with --deep"
RIGHT = "this login may not use amcheck; ask again as an administrator"
CHECK = "select bt_index_check(cast(cast(%s as text) as regclass), true)"
"""No named statement: those can be prepared on every database, and this needs the extension."""
Read = Callable[[Callable[[Tx], Any]], Any]


def examine_indexes(read: Read, *, deep: bool) -> Integrity | None:
    """Check each index against the rows of its table; None unless `deep`.

    One transaction for each, as a broken one ends it. Only readers' locks are taken.
    """
    if not deep:
        return None
    if read(lambda tx: tx.one("has_amcheck")) is None:
        return Integrity("", hint=HINT)
    names = [row["name"] for row in read(lambda tx: tx.all("list_indexes"))]
    problems: list[str] = []
    for name in names:
        try:
            read(partial(_check, name=name))
        except RightMissing:
            return Integrity("", hint=RIGHT)
        except psycopg.DatabaseError as error:
            problems.append(f"{name}: {str(error).splitlines()[0]}")
    return Integrity(f"{len(names)} indexes (amcheck)", problems=tuple(problems))


def _check(tx: Tx, *, name: str) -> None:
    tx.raw(CHECK, (name,))
