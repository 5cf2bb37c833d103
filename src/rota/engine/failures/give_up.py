"""Give up: a run that has just failed for good leaves a dead letter.

Written in the transaction that ends the run; a success, a cancel and an expiry leave none.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.failures.failed_runs import bounded, detail_of
from rota.rules.failures.fingerprint import fingerprint
from rota.store.base import Row, Tx

MAX_MESSAGE = 500


class _Letter(msgspec.Struct, frozen=True, kw_only=True):
    run_id: str
    job: str
    version: int
    fingerprint: str
    error_type: str
    message: str
    reason: str | None
    died_at: int


def give_up(tx: Tx, rows: Sequence[Row], *, namespace: str) -> None:
    """Write a letter for each of these failed runs; an existing letter stays."""
    letters = [_letter(row) for row in rows]
    tx.execute("insert_letters", batch=msgspec.json.encode(letters).decode(), namespace=namespace)


def _letter(row: Row) -> _Letter:
    error = detail_of(row["error"])
    return _Letter(
        run_id=str(row["id"]),
        job=row["job"],
        version=row["version"],
        fingerprint=fingerprint(job=row["job"], error=error, reason=row["reason"]),
        error_type=bounded(error.type, MAX_MESSAGE) if error else "",
        message=bounded(error.message if error else row["reason"] or "", MAX_MESSAGE),
        reason=row["reason"],
        died_at=row["finished_at"],
    )
