"""Daily partitions of history, attempts and logs on PostgreSQL: made ahead, dropped when old."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from rota.store.postgres.tx import PostgresTx

DAYS_AHEAD = 3
DAY_MS = 86_400_000
LOCK_MS = 200
"""Every session behind a waiting lock waits as well, so it must not wait for long."""
PARENTS = ("run_history_good", "run_history_bad", "attempt", "log_chunk")
_DAILY = re.compile(rf"^({'|'.join(PARENTS)})_(\d{{8}})$")


def rotate(tx: PostgresTx, *, keep_good_ms: int, keep_bad_ms: int) -> None:
    """Make the coming days and drop the days that are wholly past retention.

    Hardly waits for anybody: a partition in use is done at the next round. By functions, since not
    every login that does the chores owns the tables (ADR 31).
    """
    if not _alone(tx):
        return
    now = _now_ms(tx)
    keep = {"run_history_good": keep_good_ms, "run_history_bad": keep_bad_ms}
    existing = {row["name"] for row in tx.all("list_partitions")}
    tx.script(f"set local lock_timeout = {LOCK_MS}")
    for name in sorted(existing):
        if (match := _DAILY.match(name)) and _ends_ms(match[2]) < now - keep.get(
            match[1], keep_bad_ms
        ):
            _try(tx, f"select rota.drop_day('{name}')")
    for parent in PARENTS:
        for ahead in range(DAYS_AHEAD + 1):
            _make(tx, parent, _day(now + ahead * DAY_MS), existing)


def _alone(tx: PostgresTx) -> bool:
    row = tx.one("try_rotate_lock")
    return bool(row and row["locked"])


def _now_ms(tx: PostgresTx) -> int:
    return int(tx.all("now")[0]["now"])


def _day(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _ends_ms(day: str) -> int:
    start = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC)
    return round((start + timedelta(days=1)).timestamp() * 1000)


def _make(tx: PostgresTx, parent: str, day: datetime, existing: set[str]) -> None:
    name = f"{parent}_{day:%Y%m%d}"
    if name in existing:
        return
    _try(tx, f"select rota.make_day('{parent}', {round(day.timestamp() * 1000)})")


def _try(tx: PostgresTx, text: str) -> None:
    tx.script("savepoint step")
    try:
        tx.script(text)
    except (psycopg.errors.CheckViolation, psycopg.errors.LockNotAvailable):
        # Rows of that day are in the rest partition already (nobody rotated for days): they stay
        # there and are pruned in batches. Or somebody reads: the next round is soon enough.
        tx.script("rollback to savepoint step")
    tx.script("release savepoint step")
