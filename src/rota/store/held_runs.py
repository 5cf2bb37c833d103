"""SQL fragments for runs that a worker holds ready for a slot, and for when handlers began."""

from __future__ import annotations

from collections.abc import Mapping

HELD: Mapping[str, str] = {
    # When the handler began: the claim plus the time that its worker reports at its end. A begin
    # reported before (0) has its time in the row. The verdict is read once: SQLite parses its
    # JSON each time, 0.3 us.
    "began": (
        "case when run.held_fence = 0 then run.started_at"
        " else run.started_at + coalesce(v.held_ms, 0) end"
    ),
    # Claimed, and not known to have begun. Its worker has no slot for it yet: it shows as queued.
    "held": "(state = {to:claim} and held_fence = fence)",
    "recalled": (
        "(run.held_fence = run.fence and (exists (select 1 from rota.queue as q"
        " where q.namespace = run.namespace and q.name = run.queue and q.is_paused)"
        " or exists (select 1 from rota.breaker as b where b.namespace = run.namespace"
        " and b.job = run.job and b.state <> 'closed'"
        " and (b.state <> 'half_open' or b.probe_id is null or b.probe_id <> run.id))))"
    ),
    "seen": "case when {columns:held} then {to:release} else state end",
    "seen_start": "case when {columns:held} then null else started_at end",
    "node_seen": (
        "case when r.state = {to:claim} and r.held_fence = r.fence then {to:release}"
        " else r.state end"
    ),
    "node_start": (
        "case when r.state = {to:claim} and r.held_fence = r.fence then null else r.started_at end"
    ),
    "held_ready": (
        "select run.* from rota.run as run where run.{from:heartbeat}"
        " and run.worker_id is not null and run.held_fence = run.fence"
        " and run.namespace || '' = :namespace"
    ),
}
