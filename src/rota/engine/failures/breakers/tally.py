"""Tallies: count the attempts of jobs that have a breaker, and judge the breaker at once.

This is a part of finish, in the transaction that ends an attempt, so that the claim after it in the
same transaction already finds the breaker open. It costs nothing for jobs without a breaker.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec

from rota.engine.failures.breakers.state import (
    BreakerKey,
    CircuitChange,
    circuit_of,
    follow,
    has_readable_rule,
    rule_of,
    share_seen,
    tallies_of,
)
from rota.model.runs.run import Verdict
from rota.rules.failures.breaker import decide, times_of
from rota.store.base import Row, Tx


class _Tally(msgspec.Struct, frozen=True):
    job: str
    turn: int
    bucket_at: int
    part: str
    good: int
    bad: int
    expires_at: int


def tally_attempts(tx: Tx, verdicts: Sequence[Verdict], *, namespace: str) -> list[Row]:
    """Return what the verdicts mean to breakers; read before the runs change, under their lock."""
    watched = [verdict for verdict in verdicts if verdict.watched]
    if not watched:
        return []
    batch = msgspec.json.encode(watched).decode()
    rows = tx.all("observe_attempts", batch=batch, namespace=namespace)
    return [row for row in rows if has_readable_rule(row)]


def judge_breakers(tx: Tx, seen: Sequence[Row], *, namespace: str) -> None:
    """Add to the tallies and change the breakers; last, so that run rows are locked first.

    Two workers that fail at the same moment may not see each other's tally: then the next
    attempt, or a look of `tend` within a second, opens the breaker.
    """
    # Sorted by job and part: two batches must not lock each other out.
    tallies = [_tally(row) for row in seen if row["state"] == "closed" and _counts(row)]
    if tallies:
        tx.execute("add_tallies", batch=msgspec.json.encode(tallies).decode(), namespace=namespace)
    for job, rows in groupby(seen, key=lambda row: str(row["job"])):
        _judge(tx, BreakerKey(namespace, job), list(rows))


def _counts(row: Row) -> bool:
    return bool(row["good"] or row["bad"])


def _tally(row: Row) -> _Tally:
    times = times_of(rule_of(row))
    at = row["now"] - row["now"] % times.bucket_ms
    return _Tally(
        row["job"], row["turn"], at, row["part"], row["good"], row["bad"], at + times.window_ms
    )


def _judge(tx: Tx, place: BreakerKey, rows: list[Row]) -> None:
    was, rule, at = circuit_of(rows[0]), rule_of(rows[0]), rows[0]["now"]
    fate = next((row["fate"] for row in rows if row["fate"]), None)
    if was.state == "closed" and any(row["bad"] for row in rows):
        tallies = tallies_of(tx, place, turn=was.turn)
        now = decide(was, tallies, rule=rule, now_ms=at)
        seen = share_seen(tallies, rule, at=at)
        follow(tx, place, CircuitChange(was=was, now=now, at=at, seen=seen))
    elif was.state == "half_open" and fate is not None:
        now = decide(was, (), rule=rule, now_ms=at, fate=fate)
        follow(tx, place, CircuitChange(was=was, now=now, at=at))
