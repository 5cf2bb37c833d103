"""Failed runs: read the runs that have just failed, with their errors."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from rota.engine.failures.batch_isolation import keepable
from rota.model.runs.run import ErrorDetail
from rota.store.base import Row, Tx

RECENT_MS = 86_400_000
"""The runs ended a moment ago; a day is far on the safe side and still few partitions."""
_error = msgspec.json.Decoder(ErrorDetail)


def failed_runs(tx: Tx, run_ids: Collection[str], *, namespace: str) -> list[Row]:
    """Return those of the runs that are failed now."""
    return tx.all(
        "find_given_up",
        ids=msgspec.json.encode(sorted(run_ids)).decode(),
        namespace=namespace,
        recent_ms=RECENT_MS,
    )


def detail_of(text: str | None) -> ErrorDetail | None:
    """Return an error; None for text that no worker of ours wrote: the run must end anyway."""
    try:
        return _error.decode(text) if text else None
    except (msgspec.MsgspecError, ValueError):
        return None


def bounded(text: str, limit: int) -> str:
    return keepable(text if len(text) <= limit else text[: limit - 3] + "...")
