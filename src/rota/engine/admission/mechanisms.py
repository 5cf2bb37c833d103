"""The list of all holds: everything that may keep a run from starting.

A hold that is added here narrows claims, appears in `rota why`, in lists of runs and on the page of
a queue, and has a row in the documentation (`python -m tests.docs.holds` writes it).
"""

from __future__ import annotations

from rota.engine.admission.breakers import breaker_limits, open_breakers
from rota.engine.admission.dependencies import hold_back, why_dependent_waits
from rota.engine.admission.draining_windows import closed_now, narrow_to_open, window_limits
from rota.engine.admission.graph_pauses import why_node_waits
from rota.engine.admission.graph_runs import (
    ends_graph_run,
    full_among,
    leave_full_graphs,
    release_others,
    why_turn_waits,
)
from rota.engine.admission.hold import Hold
from rota.engine.admission.overlap import why_start_waits
from rota.engine.admission.queues import pause_limits, paused_queues
from rota.engine.admission.quotas import narrow_to_quota, quota_limits, used_quota

HOLDS = (
    Hold(
        name="breaker",
        reason="held",
        keeps="queued runs of a job whose [breaker](breakers.md) is open, except its probe",
        until="the probe succeeds, or somebody closes the breaker",
        asked=("claim_runs", "pick_runs"),
        released_by=(
            "failures.breakers.tally.judge_breakers",
            "failures.breakers.probe.send_probes",
            "failures.breakers.control.close_breaker",
        ),
        active=open_breakers,
        limits=breaker_limits,
    ),
    Hold(
        name="queue pause",
        reason="paused",
        keeps="queued runs of a queue that somebody has paused",
        until="somebody resumes the queue",
        asked=("claim_runs", "pick_runs"),
        released_by=("admission.queues.resume",),
        active=paused_queues,
        limits=pause_limits,
    ),
    Hold(
        name="maintenance window",
        reason="window",
        keeps="queued runs in a [maintenance window](triggers.md#maintenance-windows) that drains",
        until="the window ends, or somebody removes it",
        asked=("admission.draining_windows.narrow_to_open",),
        released_by=("admission.windows.remove_blackout",),
        needs="shut",
        narrow=narrow_to_open,
        active=closed_now,
        limits=window_limits,
    ),
    Hold(
        name="quota",
        reason="quota",
        keeps="queued runs of a namespace that has as many runs running as its quota allows",
        until="a run of the namespace ends, or the quota is raised",
        asked=("admission.quotas.narrow_to_quota",),
        released_by=("runs.finish.finish", "identity.namespaces.put_namespace"),
        needs="has_quota",
        narrow=narrow_to_quota,
        active=used_quota,
        limits=quota_limits,
    ),
    Hold(
        name="graph pause",
        reason="paused",
        keeps="nodes of a paused [run of a graph](graphs.md)",
        until="somebody resumes the run",
        asked=("graphs.control.pause", "graphs.nodes.start.NodeStarts"),
        released_by=("graphs.control.resume",),
        why=why_node_waits,
    ),
    Hold(
        name="dependencies",
        reason="blocked",
        keeps="a run of a job that [depends on others](policies.md#dependencies)",
        until="runs of all of them have succeeded",
        asked=("admission.dependencies.hold_back",),
        released_by=("admission.clear_dependents.clear_waiting",),
        needs="is_dependent",
        hold_back=hold_back,
        why=why_dependent_waits,
    ),
    Hold(
        name="graph runs",
        reason="blocked",
        keeps="a run of a graph with `max_runs` or `depends_on_past`",
        until="fewer than `max_runs` are running, and the run before it has ended",
        asked=("admission.graph_runs.leave_full_graphs", "admission.graph_runs.may_begin"),
        released_by=("admission.graph_runs.release_others",),
        needs="max_runs",
        narrow=leave_full_graphs,
        is_freed_by=ends_graph_run,
        free=release_others,
        stuck=full_among,
        why=why_turn_waits,
    ),
    Hold(
        name="overlap",
        reason="blocked",
        keeps="a start of a [schedule](schedules.md) whose `overlap` bounds how many run at once",
        until="an earlier run of the schedule ends; with `strict`, it has to succeed",
        asked=("admission.overlap.admit_starts",),
        released_by=("schedules.outcomes.record_outcomes", "schedules.starts.begin"),
        why=why_start_waits,
    ),
)
"""The holds, in the order in which claims check them and people see them."""
