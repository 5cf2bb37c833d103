"""Discard: dead letters that nobody will redrive; their runs stay until retention."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rota.engine.identity.audit_log import Actor, find_act, record
from rota.store.base import Tx


def discard(tx: Tx, run_ids: Sequence[str], *, namespace: str, subject: str, by: Actor) -> int:
    """Close those of the letters that are open; returns how many.

    A request that is sent twice, with the same act, answers the same.
    """
    before = _discarded(tx, by, namespace)
    if before:
        return before
    ids = json.dumps(list(run_ids))
    rows = tx.all("discard_letters", ids=ids, namespace=namespace, who=by.who)
    gone = sorted(str(row["run_id"]) for row in rows)
    if not gone:
        # The first request may have been about to commit: then we have waited for its letters.
        return _discarded(tx, by, namespace)
    detail = {"letters": len(gone), "runs": gone}
    record(tx, by, namespace=namespace, verb="discard", subject=subject, detail=detail)
    return len(gone)


def _discarded(tx: Tx, by: Actor, namespace: str) -> int:
    """How many this very request has closed before."""
    act = find_act(tx, by.act_id, namespace=namespace)
    return int(act.detail["letters"]) if act else 0
