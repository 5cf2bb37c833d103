"""What a worker tells the store about a call that has ended, marked for those it concerns."""

from __future__ import annotations

import msgspec

from rota.model.run import Lease, Verdict
from rota.notices import emit
from rota.runtime.call import Call, Ending
from rota.runtime.judge import judge


def verdict_on(call: Call, ending: Ending) -> Verdict | None:
    """How the run goes on; None when it is somebody else's now."""
    try:
        return _watched(call, judge(call, ending))
    except Exception as error:  # noqa: BLE001  # the run must end, whatever its policy holds
        emit("judge.failed", run=call.lease.run_id, job=call.lease.job, error=error)
        plain = Verdict(run_id=call.lease.run_id, fence=call.lease.fence, verb="fail")
        return refused(related(plain, call.lease), error)


def _watched(call: Call, verdict: Verdict | None) -> Verdict | None:
    """Marked for the breaker of its job, too."""
    if verdict is None:
        return None
    if call.work.spec.breaker is not None:
        verdict = msgspec.structs.replace(verdict, watched=True)
    return related(verdict, call.lease)


def related(verdict: Verdict, lease: Lease) -> Verdict:
    """Marked for its schedule, its graph and its cache, if it has them."""
    if verdict.verb == "succeed" and lease.memo_key is not None:
        verdict = msgspec.structs.replace(verdict, memo_key=lease.memo_key, memo_ms=lease.memo_ms)
    if lease.origin is None and lease.parent_id is None:
        return verdict
    return msgspec.structs.replace(
        verdict,
        fired=lease.origin is not None,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )


def refused(verdict: Verdict, error: Exception) -> Verdict:
    """The failure that takes the place of a verdict the store does not accept."""
    reason = f"its outcome could not be recorded: {type(error).__name__}"
    return Verdict(
        run_id=verdict.run_id,
        fence=verdict.fence,
        verb="fail",
        kind="error",
        reason=reason,
        watched=verdict.watched,
        fired=verdict.fired,
        parent_id=verdict.parent_id,
        node=verdict.node,
        item=verdict.item,
    )
