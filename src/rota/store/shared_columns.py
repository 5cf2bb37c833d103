"""Columns: parts of SQL that several statements share, by name."""

from __future__ import annotations

from collections.abc import Mapping

from rota.rules.admission.lanes import FRONT, SPAN
from rota.store.held_runs import HELD

_BROUGHT: Mapping[str, str] = {
    "policy": "n.policy",
    "at_most_once": "coalesce(n.at_most_once, false)",
    "key": "n.key",
    "rerun_of": "n.rerun_of",
}
"""Columns that a submit fills with what it brings, by the value in a row `n` of the batch."""

COLUMNS: Mapping[str, str] = {
    **HELD,
    # Not in a lane: nothing there stands in the way of others for long (rules.admission.lanes).
    "in_front": f"rank < {SPAN}",
    "beside_me": (
        f"ahead.rank >= case when me.rank < {SPAN} then {FRONT.start}"
        f" else me.rank - me.rank % {SPAN} end"
    ),
    "asked_for": "(cast(:state as text) is null or state = :state) and {columns:asked_of}",
    "asked_of": (
        "(cast(:job as text) is null or job = :job)"
        " and (cast(:queue as text) is null or queue = :queue)"
        " and (cast(:queues as text) is null or queue in ({each:queues}))"
        " and (cast(:schedule as text) is null or schedule_id in ("
        " select s.id from rota.schedule as s"
        " where s.namespace = :namespace and s.name = :schedule))"
        " and (cast(:error as text) is null or lower(error) like lower(:error) escape '!')"
        " and (cast(:text as text) is null or lower(args) like lower(:text) escape '!'"
        " or lower(key) like lower(:text) escape '!')"
        " and (cast(:arg as text) is null or lower(args) like lower(:arg) escape '!')"
        " and (cast(:whole as text) is null or parent_id is null)"
    ),
    # A run created since then has also ended since then, and history is kept by the day of its end.
    "not_before": "(cast(:since as bigint) is null or finished_at >= :since)",
    "asked_when": (
        "(cast(:since as bigint) is null or created_at >= :since)"
        " and (cast(:until as bigint) is null or created_at < :until)"
    ),
    "asked": "{columns:asked_for} and {columns:asked_when}",
    # Of live runs: one that a worker holds ready waits.
    "asked_live": (
        "(cast(:state as text) is null or {columns:seen} = :state) and {columns:asked_of}"
        " and {columns:asked_when}"
    ),
    # Not `is null or`, which a plan that is kept cannot search an index for: the thousandth page
    # would read all pages before it. Nor `coalesce`, which is not leakproof (row_security.py).
    "further": (
        "id >= cast(:floor as {type:uuid}) and"
        " id < case when cast(:before as {type:uuid}) is null"
        " then cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as {type:uuid})"
        " else cast(:before as {type:uuid}) end"
    ),
    # SQLite searches for pairs, unless the lower one is cast.
    "further_of_job": (
        "(job, id) >= (:job, :floor) and"
        " (job, id) < (:job, case when cast(:before as {type:uuid}) is null"
        " then cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as {type:uuid})"
        " else cast(:before as {type:uuid}) end)"
    ),
    "label_further": (
        "run_id < case when cast(:before as {type:uuid}) is null"
        " then cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as {type:uuid})"
        " else cast(:before as {type:uuid}) end"
    ),
    # For lists that are sorted: no index on ids is to be chosen for it.
    "beyond": "(cast(:before as {type:uuid}) is null or id || '' < cast(:before as text))",
    "letter_reached": (
        "(cast(:queues as text) is null or exists ("
        " select 1 from rota.run_history as h where h.id = dead_letter.run_id"
        " and h.state = {to:fail} and h.queue in ({each:queues})))"
    ),
    "made": (
        f"id, namespace, job, version, queue, priority, args, {', '.join(_BROUGHT)},"
        " created_at, due_at, ready_at, attempt, worker_id, progress, progress_note,"
        " schedule_id, backfill_id, origin, parent_id, node, item"
    ),
    "kept": "{columns:made}, started_at",
    "submitted": (
        "id, namespace, job, version, queue, priority, state, rank, args,"
        f" {', '.join(_BROUGHT)}, created_at, due_at, ready_at, expires_at"
    ),
    "brought": ", ".join(_BROUGHT.values()),
    # The fields of a Lease, in their order.
    "lease": (
        "id, fence, attempt, job, version, queue, args, policy, failures, crashes, due_at,"
        " started_at, origin, parent_id, node, item, at_most_once"
    ),
    "live": (
        "{columns:made}, {columns:seen_start} as started_at, {columns:seen} as state,"
        " failures, crashes, fence, cancel_requested, error,"
        " null as finished_at, null as result, null as reason"
    ),
    "ended": (
        "{columns:kept}, state, failures, crashes, fence, false as cancel_requested, error,"
        " finished_at, result, reason"
    ),
    "queued_there": (
        "(select count(*) from (select 1 as one from rota.run where namespace = :namespace"
        " and {from:claim} and queue = n.name limit :most) as c) as queued"
    ),
    "scheduled_there": (
        "(select count(*) from (select 1 as one from rota.run where namespace = :namespace"
        " and state in ('scheduled', '') and queue = n.name limit :most) as c) as scheduled"
    ),
    "oldest_there": (
        "(select {now} - min(c.ready_at) from (select ready_at from rota.run"
        " where namespace = :namespace and {from:claim} and queue = n.name"
        " order by rank, id limit :ahead) as c) as oldest_ms"
    ),
    "ready_in_queues": (
        "select run.* from rota.run as run where run.{from:claim} and run.namespace = :namespace"
        " and run.queue {sql:among} {each:names} {sql:end_among}"
    ),
    "running_and_parked": (
        "select run.* from rota.run as run where run.{from:heartbeat}"
        " and run.worker_id is not null and run.namespace || '' = :namespace"
        " union all select run.* from rota.run as run where run.state in ('pending', 'suspended')"
        " and run.attempt >= 0 and run.namespace = :namespace"
    ),
    "schedule": (
        "s.id, s.namespace, s.name, s.job, s.spec, s.state, s.note, s.rules_version, s.calendar,"
        " s.cursor_at, s.last_at, s.next_at, s.late_until, s.blocked_by, s.fired, s.last_ended_at,"
        " s.look_at, s.app"
    ),
    "its_job": (
        "exists (select 1 from rota.blackout as b where b.namespace = s.namespace)"
        " as has_blackouts,"
        " (select j.version from rota.job as j"
        " where j.namespace = s.namespace and j.name = s.job) as version,"
        " (select j.weights from rota.job as j"
        " where j.namespace = s.namespace and j.name = s.job) as weights,"
        " (select v.spec from rota.job as j join rota.job_version as v"
        " on v.namespace = j.namespace and v.name = j.name and v.version = j.version"
        " where j.namespace = s.namespace and j.name = s.job) as job_spec"
    ),
}
"""`kept`: what a run takes along, unchanged, into history. `schedule` and `its_job`: what decides
about the starts of a schedule `s`, with the current definition of its job in the same statement."""
