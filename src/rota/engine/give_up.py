"""Give up: a run that has just failed for good leaves a dead letter.

Written in the transaction that ends the run; a success, a cancel and an expiry leave none.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from rota.model.run import ErrorDetail
from rota.rules.fingerprint import fingerprint
from rota.store.base import Row, Tx

RECENT_MS = 86_400_000
"""The runs ended a moment ago; a day is far on the safe side and still few partitions."""
MAX_MESSAGE = 500
_error = msgspec.json.Decoder(ErrorDetail)


class _Letter(msgspec.Struct, frozen=True, kw_only=True):
    run_id: str
    job: str
    version: int
    fingerprint: str
    error_type: str
    message: str
    reason: str | None
    died_at: int


def give_up(tx: Tx, run_ids: Collection[str], *, namespace: str) -> None:
    """Write a letter for those of the runs that are failed now; one that is there stays."""
    rows = tx.all(
        "find_given_up",
        ids=msgspec.json.encode(sorted(run_ids)).decode(),
        namespace=namespace,
        recent_ms=RECENT_MS,
    )
    letters = [_letter(row) for row in rows]
    tx.execute("insert_letters", batch=msgspec.json.encode(letters).decode(), namespace=namespace)


def _letter(row: Row) -> _Letter:
    error = _detail(row["error"])
    return _Letter(
        run_id=str(row["id"]),
        job=row["job"],
        version=row["version"],
        fingerprint=fingerprint(job=row["job"], error=error, reason=row["reason"]),
        error_type=_bounded(error.type) if error else "",
        message=_bounded(error.message if error else row["reason"] or ""),
        reason=row["reason"],
        died_at=row["finished_at"],
    )


def _detail(text: str | None) -> ErrorDetail | None:
    """None for what no worker of ours wrote: the run must end, however its error looks."""
    try:
        return _error.decode(text) if text else None
    except (msgspec.MsgspecError, ValueError):
        return None


def _bounded(text: str) -> str:
    short = text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 3] + "..."
    return short.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
