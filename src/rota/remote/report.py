"""Reports of ended attempts for a server: what happened; the server decides what follows."""

from __future__ import annotations

from rota.model.runs.run import ErrorDetail, Lease
from rota.model.workers.remote import EndBody
from rota.remote.transport import Understood
from rota.runtime.attempts.attempt import Attempt, Crashed, Ending, Raised, Returned, Stopped
from rota.runtime.dispatch.outcomes import custom_wait, with_note

MOST_TYPES = 100
MOST_REASON = 2_000
LONGEST_MS = 2**31 - 1


def end_of(call: Attempt, ending: Ending, token: str, understands: Understood) -> EndBody | None:
    """Return a report of an end that this server understands; None if the lease is lost."""
    lease = call.lease
    report = EndBody(
        run_id=lease.run_id,
        fence=lease.fence,
        token=token,
        ending="returned",
        began=call.started_s is not None,
        held_ms=min(LONGEST_MS, call.held_ms) if understands.begins and call.started_s else None,
        left_behind=understands.begins and call.is_left_behind,
    )
    match ending:
        case Returned(result=result):
            report.result = result
        case Crashed(error=error):
            report.ending, report.error = "crashed", error
        case Raised():
            _fill_raised(report, call, ending)
            report.misfit = understands.takes and ending.misfit
        case Stopped(why=why):
            if why == "lost":
                return None
            # The server treats both alike: the run did not begin.
            report.ending, report.why = "stopped", "drain" if why == "held" else why
    return report


def returned(run_id: str, fence: int, token: str, *, began: bool = False) -> EndBody:
    """Return a report that gives back a run which this worker will not carry out."""
    return EndBody(
        run_id=run_id, fence=fence, token=token, ending="stopped", why="drain", began=began
    )


def unrecorded(body: EndBody, error: Exception) -> EndBody:
    """Return the failure to report when the server does not accept the end of a run."""
    words = f"its outcome could not be recorded: {error}"
    return EndBody(
        run_id=body.run_id,
        fence=body.fence,
        token=body.token,
        ending="raised",
        error=ErrorDetail(type=type(error).__name__, message=words),
        gives_up=True,
        reason=words[:MOST_REASON],
    )


def unstarted(lease: Lease, token: str, error: Exception) -> EndBody:
    """Return the failure of a run whose definition or function is not available here."""
    return EndBody(
        run_id=lease.run_id,
        fence=lease.fence,
        token=token,
        ending="raised",
        began=False,
        error=ErrorDetail(type=type(error).__name__, message=str(error)[:MOST_REASON]),
        gives_up=True,
        reason="not worth a retry",
    )


def _fill_raised(body: EndBody, call: Attempt, ending: Raised) -> None:
    custom = custom_wait(call, ending)
    delay_ms, after_s = custom.delay_ms, ending.retry_after_s
    body.ending = "raised"
    is_asked = after_s is None and not ending.gives_up
    body.error = with_note(ending.error, custom) if is_asked else ending.error
    body.types = list(ending.types[:MOST_TYPES])
    body.retry_after_ms = None if after_s is None else _ms(after_s * 1000)
    body.custom_delay_ms = None if delay_ms is None else _ms(delay_ms)
    body.wants_retry = ending.wants_retry
    body.gives_up = ending.gives_up
    body.reason = None if ending.reason is None else ending.reason[:MOST_REASON]


def _ms(seconds: float) -> int:
    return max(0, min(LONGEST_MS, round(seconds)))
