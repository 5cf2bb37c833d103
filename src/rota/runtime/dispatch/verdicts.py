"""Verdicts: how runs go on after an attempt, marked for the schedules and graphs they affect."""

from __future__ import annotations

import msgspec

from rota.engine.graphs.nodes.links import refusal, refused
from rota.errors import StoreUnavailable
from rota.model.runs.run import Lease, Verdict
from rota.notices import emit
from rota.rules.jobs.claim_facts import is_watched
from rota.runtime.attempts.attempt import Attempt, Ending
from rota.runtime.dispatch.outcomes import judge


def verdict_on(call: Attempt, ending: Ending) -> Verdict | None:
    """Return how the run goes on; None when another worker owns it now."""
    try:
        return _mark_watched(call, judge(call, ending))
    except Exception as error:  # noqa: BLE001  # the run must end, whatever its policy holds
        emit("judge.failed", run=call.lease.run_id, job=call.lease.job, error=error)
        plain = Verdict(run_id=call.lease.run_id, fence=call.lease.fence, verb="fail")
        return refused(related(plain, call.lease), error)


def _mark_watched(call: Attempt, verdict: Verdict | None) -> Verdict | None:
    """Return the verdict, marked if the end of a run of its job concerns more than the run."""
    if verdict is None:
        return None
    if is_watched(call.work.spec):
        verdict = msgspec.structs.replace(verdict, watched=True)
    return related(verdict, call.lease)


def unavailable(lease: Lease, error: Exception) -> Verdict:
    """Return the verdict on a lease whose definition or function is not available here.

    It is given back while the store is away. Otherwise it fails: a worker that gave it back would
    claim it again at once, and again.
    """
    if isinstance(error, StoreUnavailable):
        return related(Verdict(run_id=lease.run_id, fence=lease.fence, verb="release"), lease)
    return refusal(lease, error)


def related(verdict: Verdict, lease: Lease) -> Verdict:
    """Return the verdict marked for its schedule, its graph and its cache, if it has them."""
    if verdict.verb == "succeed" and lease.memo_key is not None:
        verdict = msgspec.structs.replace(verdict, memo_key=lease.memo_key, memo_ms=lease.memo_ms)
    if lease.origin is None and lease.parent_id is None:
        return verdict
    return msgspec.structs.replace(
        verdict,
        fired=lease.is_fired,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )
