"""Prune: delete old ended runs with their data, and old keys, memos and audit entries."""

from __future__ import annotations

import json

import msgspec

from rota.engine.identity.audit_chain import prune_acts
from rota.engine.insight.statistics import prune_statistics
from rota.model.states import State
from rota.store.base import Tx

DAY_MS = 86_400_000
GOOD = json.dumps([State.SUCCESS, State.SKIPPED])
BAD = json.dumps([State.FAILED, State.CANCELLED])


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """The times that ended runs and audit entries are kept."""

    success_ms: int = 7 * DAY_MS
    failure_ms: int = 30 * DAY_MS
    acts_ms: int = 90 * DAY_MS


def count_old(tx: Tx, retention: Retention, *, limit: int) -> int:
    """Return how many ended runs are past their retention, up to about the limit."""
    kinds = ((retention.success_ms, GOOD), (retention.failure_ms, BAD))
    rows = [
        tx.all("count_old_runs", keep_ms=keep_ms, states=states, limit=limit)[0]
        for keep_ms, states in kinds
    ]
    return min(limit, sum(int(row["runs"]) for row in rows))


def prune(tx: Tx, retention: Retention, *, limit: int) -> int:
    """Delete up to `limit` rows of each kind; returns how many went."""
    gone = tx.execute("prune_history", keep_ms=retention.success_ms, states=GOOD, limit=limit)
    gone += tx.execute("prune_history", keep_ms=retention.failure_ms, states=BAD, limit=limit)
    gone += tx.execute("prune_attempts", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_letters", keep_ms=retention.failure_ms, limit=limit)
    gone += prune_acts(tx, keep_ms=retention.acts_ms, limit=limit)
    gone += tx.execute("prune_nodes", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_past_successes", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_keys", limit=limit)
    gone += tx.execute("prune_memos", limit=limit)
    gone += tx.execute("prune_tallies", limit=limit)
    gone += tx.execute("prune_alerts", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_incidents", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_alert_messages", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_effects", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_firings", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_backfills", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_events", keep_ms=retention.failure_ms, limit=limit)
    gone += tx.execute("prune_requests", limit=limit)
    gone += tx.execute("prune_sessions") + tx.execute("prune_tickets")
    gone += prune_statistics(tx, limit=limit)
    gone += tx.execute("prune_logs", keep_ms=retention.failure_ms, limit=limit)
    return gone
