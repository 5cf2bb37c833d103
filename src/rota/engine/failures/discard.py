"""Discard: close dead letters that nobody will redrive; their runs stay until retention."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rota.store.base import Tx


def discard(tx: Tx, run_ids: Sequence[str], *, namespace: str, who: str) -> list[str]:
    """Close the open ones of these letters; returns their runs."""
    ids = json.dumps(list(run_ids))
    rows = tx.all("discard_letters", ids=ids, namespace=namespace, who=who)
    return sorted(str(row["run_id"]) for row in rows)
