"""From the result or exception of user code to an ending, for executors that call a function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rota.clock import elapsed_s
from rota.errors import BadDuration, Cancelled, InDoubt, Retry, TimedOut
from rota.model.runs.run import ErrorDetail
from rota.rules.text.duration import parse_duration
from rota.runtime.attempts.attempt import Attempt, Crashed, Ending, Raised, Returned, Stopped
from rota.runtime.attempts.error_text import MAX_MESSAGE, bounded, describe, type_names

Stops = tuple[type[BaseException], ...]

STOPS: Stops = (Cancelled, TimedOut)


def begin(call: Attempt) -> None:
    """Note that the body starts now; its timeout counts from here."""
    call.started_s = now_s = elapsed_s()
    call.held_ms = call.lease.held_ms + int((now_s - call.claimed_s) * 1000)
    if call.timeout_s is not None:
        call.deadline_s = now_s + call.timeout_s


def perform(call: Attempt) -> Ending:
    """Decode the arguments, call the handler, encode its result; raises what the handler raises."""
    work = call.work
    signature, handler = work.signature, work.handler
    if signature is None or handler is None:
        return no_function(call)
    try:
        args, kwargs = signature.arguments(call.lease.args)
    except MemoryError:
        raise
    except Exception as exc:  # noqa: BLE001  # user types decode themselves and may raise anything
        return undecodable(call, exc)
    value = handler(*args, **kwargs)
    try:
        return Returned(signature.dump_result(value))
    except MemoryError:
        raise
    except Exception as exc:  # noqa: BLE001  # as above
        return unencodable(exc)


async def perform_async(call: Attempt) -> Ending:
    """Perform an `async def` handler like `perform`; only the wait in the middle differs."""
    work = call.work
    signature, handler = work.signature, work.handler
    if signature is None or handler is None:
        return no_function(call)
    try:
        args, kwargs = signature.arguments(call.lease.args)
    except MemoryError:
        raise
    except Exception as exc:  # noqa: BLE001  # user types decode themselves and may raise anything
        return undecodable(call, exc)
    value: Any = await handler(*args, **kwargs)
    try:
        return Returned(signature.dump_result(value))
    except MemoryError:
        raise
    except Exception as exc:  # noqa: BLE001  # as above
        return unencodable(exc)


def ending_of(call: Attempt, exc: BaseException, *, stops: Stops = STOPS) -> Ending:
    """Return the ending for an exception of the handler; `stops` are those that we raise."""
    if call.stop_reason is not None and any(isinstance(link, stops) for link in _links(exc)):
        return Stopped(call.stop_reason)
    if isinstance(exc, Retry):
        return _retry(exc)
    error = describe(exc)
    if isinstance(exc, SystemExit):
        error = failure("SystemExit", f"handler called sys.exit({exc.code!r})", error.traceback)
    if isinstance(exc, InDoubt):
        return Raised(error=error, types=type_names(exc), gives_up=True, reason=error.message)
    return Raised(error=error, types=type_names(exc), exception=exc)


def failure(kind: str, message: str, traceback: str = "") -> ErrorDetail:
    """Return an error without an exception, bounded like that of one."""
    return ErrorDetail(type=kind, message=bounded(message, MAX_MESSAGE), traceback=traceback)


def refused(exc: BaseException, message: str) -> Raised:
    """Return an ending that another attempt cannot improve."""
    detail = describe(exc)
    error = failure(detail.type, message, detail.traceback)
    return Raised(error=error, types=type_names(exc), exception=exc, gives_up=True)


def undecodable(call: Attempt, exc: BaseException) -> Raised:
    """Return the end for arguments that our function rejects; another worker's may take them."""
    mismatch = call.work.mismatch
    message = f"the stored arguments of {call.lease.job} cannot be used any more"
    if mismatch:
        message = f"the arguments do not fit the code of this worker: {mismatch}"
    if call.lease.node is not None:
        message = f"node {call.lease.node!r}: {message if mismatch else 'its arguments do not fit'}"
    ending = refused(exc, f"{message}: {describe(exc).message}")
    return msgspec.structs.replace(ending, misfit=bool(mismatch))


def unencodable(exc: BaseException) -> Raised:
    return refused(exc, describe(exc).message)


def no_function(call: Attempt) -> Raised:
    mismatch = call.work.mismatch
    message = f"job {call.lease.job} has no function in this process; import its module"
    if mismatch:
        message = f"job {call.lease.job} has no function here: {mismatch}"
    error = failure("rota.errors.UnknownJob", message)
    return Raised(error=error, gives_up=True, misfit=bool(mismatch))


def crashed(message: str, *, was_alone: bool = True) -> Crashed:
    beside = "" if was_alone else "; other runs had used it before"
    return Crashed(failure("Crashed", message + beside), was_alone)


def _retry(exc: Retry) -> Raised:
    error = describe(exc)
    after_s: float | None = None
    try:
        after_s = _seconds(exc.after)
    except BadDuration as bad:
        error = failure(error.type, f"{error.message} (after: {bad})", error.traceback)
    return Raised(
        error=error,
        types=type_names(exc),
        exception=exc,
        wants_retry=True,
        retry_after_s=after_s,
    )


def _seconds(after: str | float | None) -> float | None:
    if after is None:
        return None
    return max(0.0, parse_duration(after) / 1000)


def _links(exc: BaseException) -> Iterator[BaseException]:
    """Yield the exception and its causes: stopped code may raise its own on the way out."""
    seen: set[int] = set()
    link: BaseException | None = exc
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__
