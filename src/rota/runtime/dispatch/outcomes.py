"""From the end of an attempt to the verdict on its run: applies the retry rule."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import msgspec

from rota.clock import elapsed_s
from rota.errors import TimedOut
from rota.model.jobs.spec import PolicyChange, RetryPolicy
from rota.model.runs.run import AttemptKind, ErrorDetail, Verdict
from rota.notices import emit
from rota.rules.failures.on_failure import told_by
from rota.rules.failures.retry import MAX_CRASHES, GiveUp, RetryIn, after_loss, decide, longest_ms
from rota.rules.text.duration import MAX_MS, format_duration
from rota.runtime.attempts.attempt import (
    Attempt,
    Crashed,
    Ending,
    Raised,
    Returned,
    Stopped,
    StopReason,
)
from rota.runtime.attempts.error_text import MAX_MESSAGE, bounded
from rota.scripts import class_name

_CUT = " by retry_cap"
BROKEN_MS = 60_000
"""How long to wait when the job's own retry function has failed."""
MAX_NOTE = 300
_policy = msgspec.json.Decoder(PolicyChange)
_TIMEOUT_TYPES = tuple(class_name(each) for each in TimedOut.__mro__[:-1])


class CustomWait(NamedTuple):
    """The answer of a job's own retry function: how long to wait, None to give up."""

    delay_ms: int | None
    broken: str = ""
    """Why the function gave no usable answer."""


def policy_of(text: str | None) -> PolicyChange | None:
    """Return what the submit of a run changed in the policies of its job."""
    return _policy.decode(text) if text else None


def judge(
    call: Attempt, ending: Ending, *, roll: Callable[[], float] = random.random
) -> Verdict | None:
    """Return the verdict for the store; None when the lease is lost and nothing may be sent.

    Also None for a run that its handler has ended by commit().
    """
    if call.is_committed:
        _tell_late(call, ending)
        return None
    match ending:
        case Returned(result=result, reason=reason):
            return Verdict(
                run_id=call.lease.run_id,
                fence=call.lease.fence,
                verb="succeed",
                result=result,
                reason=reason,
                held_ms=max(0, call.held_ms),
            )
        case Raised():
            return _failed(call, ending, "error", roll)
        case Crashed(error=error, was_alone=was_alone):
            return _crashed(call, error, was_alone=was_alone)
        case Stopped(why=why):
            return _stopped(call, why, roll)


def _tell_late(call: Attempt, ending: Ending) -> None:
    # A heartbeat between the commit and its return finds the run gone: no failure.
    if not isinstance(ending, Returned) and ending != Stopped("lost"):
        error = ending.why if isinstance(ending, Stopped) else ending.error.message
        emit("handler.failed_late", run=call.lease.run_id, job=call.lease.job, error=error)


def _stopped(call: Attempt, why: StopReason, roll: Callable[[], float]) -> Verdict | None:
    match why:
        case "timeout":
            return _failed(call, _timed_out(call), "timeout", roll)
        case "cancel" if call.started_s is None:
            return _verdict(call, "abort", reason="cancelled")
        case "cancel":
            return _verdict(call, "abort", kind="cancelled", reason="cancelled")
        case "drain" | "cut_off" | "held" if call.lease.at_most_once and call.started_s is not None:
            reason = "stopped with its worker, and the job is at_most_once"
            return _verdict(call, "fail", kind="cancelled", reason=reason)
        case "drain" | "cut_off" | "held":
            # Nobody died: while the fence holds, the run goes back as if it had not been claimed.
            return _verdict(call, "release")
        case "lost":
            return None


def _timed_out(call: Attempt) -> Raised:
    limit = format_duration(round((call.timeout_s or 0) * 1000))
    message = f"ran longer than its timeout of {limit}"
    if call.is_left_behind:
        message += "; it did not stop when it was asked to, and its handler goes on in the worker"
    error = ErrorDetail(type="TimedOut", message=message)
    return Raised(error=error, types=_TIMEOUT_TYPES)


def _failed(call: Attempt, ending: Raised, kind: AttemptKind, roll: Callable[[], float]) -> Verdict:
    lease = call.lease
    policy = _retry_of(call)
    after_s = ending.retry_after_s
    custom = custom_wait(call, ending) if policy.backoff == "custom" else CustomWait(None)
    decision = decide(
        policy,
        failures=lease.failures + 1,
        types=_qualified(ending.types),
        wants_retry=ending.wants_retry,
        gives_up=ending.gives_up,
        retry_after_ms=None if after_s is None else round(after_s * 1000),
        custom_delay_ms=custom.delay_ms,
        at_most_once=lease.at_most_once,
        now_ms=lease.claimed_at + round((elapsed_s() - call.claimed_s) * 1000),
        due_at_ms=lease.due_at,
        random=roll(),
    )
    if isinstance(decision, GiveUp):
        reason = ending.reason or decision.reason
        misfit = ending.misfit
        return _verdict(call, "fail", kind=kind, error=ending.error, reason=reason, misfit=misfit)
    error = _with_cut(ending.error, decision)
    error = with_note(error, custom) if after_s is None else error
    return _verdict(call, "retry", kind=kind, error=error, delay_ms=decision.delay_ms)


def _with_cut(error: ErrorDetail, decision: RetryIn) -> ErrorDetail:
    """Return the error with the wait that the handler wanted, if retry_cap cut it."""
    if decision.asked_ms is None:
        return error
    asked_ms = min(decision.asked_ms, MAX_MS)
    note = f"asked to wait {format_duration(asked_ms)}, cut to {format_duration(decision.delay_ms)}"
    return msgspec.structs.replace(_noted(error, note + _CUT), asked_ms=asked_ms)


def _noted(error: ErrorDetail, note: str) -> ErrorDetail:
    """Return the error with a note about what follows it."""
    message = bounded(error.message, MAX_MESSAGE - len(note) - 3)
    return msgspec.structs.replace(error, message=f"{message} ({note})")


def _qualified(types: tuple[str, ...]) -> tuple[str, ...]:
    """Return class names as options spell them: `ValueError` becomes `builtins.ValueError`."""
    return tuple(name if "." in name else f"builtins.{name}" for name in types)


def with_note(error: ErrorDetail, custom: CustomWait) -> ErrorDetail:
    """Return the error with the reason why the retry function gave no wait."""
    if not custom.broken:
        return error
    wait = format_duration(custom.delay_ms or 0)
    return _noted(error, f"the retry function failed, so the wait is {wait}: {custom.broken}")


def _retry_of(call: Attempt) -> RetryPolicy:
    change = policy_of(call.lease.policy)
    return change.retry if change and change.retry else call.work.spec.retry


def custom_wait(call: Attempt, ending: Raised) -> CustomWait:
    """Return the answer of the job's own retry function; no wait if it has none or gives none."""
    function = call.work.retry_function
    if function is None:
        return CustomWait(None)
    try:
        answer = function(call.lease.failures + 1, ending.exception)
        return CustomWait(None if answer is None else _wait_ms(answer))
    except Exception as error:  # noqa: BLE001  # user code; a broken rule must not lose the run
        emit("retry_function.failed", job=call.lease.job, error=error)
        broken = bounded(f"{type(error).__name__}: {error}", MAX_NOTE)
        return CustomWait(min(BROKEN_MS, longest_ms(_retry_of(call))), broken)


def _wait_ms(wait: object) -> int:
    if isinstance(wait, timedelta):
        return max(0, wait // timedelta(milliseconds=1))
    try:
        return max(0, round(float(wait) * 1000))  # type: ignore[arg-type]  # what is none is told
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"it returned {wait!r:.80}, which is neither seconds, a timedelta nor None"
        ) from None


def _crashed(call: Attempt, error: ErrorDetail, *, was_alone: bool) -> Verdict:
    decision = after_loss(at_most_once=call.lease.at_most_once)
    if isinstance(decision, GiveUp):
        return _verdict(call, "fail", kind="crash", error=error, reason=decision.reason)
    if not was_alone:  # which of them it was shows when each is alone the next time
        return _verdict(call, "reap", kind="lost", error=error)
    max_crashes = call.work.spec.max_crashes
    limit = max_crashes if isinstance(max_crashes, int) else MAX_CRASHES
    # The store knows how often this happened before, and so whether the run goes on.
    return _verdict(
        call, "reap", kind="crash", error=error, reason=error.message, max_crashes=limit
    )


def _verdict(
    call: Attempt, verb: str, *, error: ErrorDetail | None = None, **facts: object
) -> Verdict:
    text = msgspec.json.encode(error).decode() if error else None
    return Verdict(
        run_id=call.lease.run_id,
        fence=call.lease.fence,
        verb=verb,  # type: ignore[arg-type]  # one of the literals above
        error=text,
        # An attempt that failed before its handler began counts; a run that is left alone had none.
        held_ms=max(0, call.held_ms) if facts.get("kind") else call.held_ms,
        quiet=told_by(call.work.spec) is None,
        **facts,  # type: ignore[arg-type]
    )
