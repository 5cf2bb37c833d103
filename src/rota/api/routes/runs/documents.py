"""Runs as clients see them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.api.server.documents import Document, Moment, then, when
from rota.engine.admission.holds import Holds
from rota.model.artifact import stand_in
from rota.model.identity import Credential
from rota.model.log import LogLine
from rota.model.run import AttemptView, ErrorDetail, Origin, RunView
from rota.model.states import FINAL, State

Status = Literal[
    "pending", "scheduled", "queued", "running", "suspended", "success", "failed", "cancelled",
    "skipped",
]  # fmt: skip
PERCENT = 100

_origin = msgspec.json.Decoder(Origin)


class Failure(Document):
    """What went wrong."""

    type: str
    message: str
    traceback: str


class RunDocument(Document):
    """One requested execution."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    version: int
    status: Status
    queue: str
    priority: int
    args: Any
    attempt: int
    failures: int
    crashes: int
    created_at: Moment
    due_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    progress: float | None
    """Percent, as far as the handler tells."""
    progress_note: str | None
    result: Any
    error: Failure | None
    reason: str | None
    cancel_requested: bool
    worker_id: str | None
    key: str | None
    rerun_of: str | None
    parent_id: str | None
    node: str | None
    schedule_id: str | None
    state: Status
    """The same as `status`."""
    item: int | None
    """Which instance, of a mapped node."""
    schedule: str | None
    scheduled_for: Moment | None
    """The instant of its schedule that it is for."""
    duration_ms: int | None
    """From its start to its end."""
    verbs: list[str]
    """What this caller may do to it now."""
    namespace: str
    ready_at: Moment
    """When it joined its queue last, or will."""
    claim: int
    """How often it was handed out; grows with each."""
    at_most_once: bool
    backfill_id: str | None
    origin: Any
    """All of which instant of which schedule it is for."""
    policy: Any
    """What its submit changed of the policies of its job."""
    held: bool
    """In a list: the breaker of its job keeps it from being started. Of one run, /why tells."""
    obstacle: str | None
    """In a list: what keeps it from being started, if it is queued and something does."""
    tally: dict[str, int]
    """Of a single run: how many attempts ended in an error, a timeout..."""
    failure_of: str | None
    """The failed run that it tells of, as `onFailure` of that job wants it."""
    on_failure_run: str | None
    """Of a single run that failed: the run that was submitted to tell of it."""
    paused: bool
    """A run of a graph that starts no other nodes until somebody resumes it."""


class AttemptDocument(Document):
    """An attempt that did not succeed."""

    number: int
    kind: str
    """error, timeout, crash, lost or cancelled."""
    claim: int
    """Tells claims apart; an attempt that was given back has the number of the next one."""
    worker_id: str | None
    started_at: Moment | None
    ended_at: Moment
    error: Failure | None


class LogDocument(Document):
    """One line that a handler printed or logged."""

    attempt: int
    claim: int
    """Tells claims apart, and with `seq` the place of the line."""
    seq: int
    at: Moment
    level: str
    stream: str
    text: str


class ReasonDocument(Document):
    """One thing that keeps a run from running."""

    kind: str
    says: str
    count: int | None
    until: Moment | None


def run_document(  # noqa: PLR0913  # one fact each, all named
    run: RunView,
    credential: Credential | None = None,
    *,
    is_paused: bool | None = None,
    holds: Holds | None = None,
    tally: dict[str, int] | None = None,
    on_failure_run: str | None = None,
    paused: bool = False,
) -> RunDocument:
    """Without a credential nobody may do anything to it; without `holds` nothing holds it back."""
    origin = origin_of(run)
    return RunDocument(
        run_id=run.id,
        job=run.job,
        version=run.version,
        status=status_of(run.state),
        queue=run.queue,
        priority=run.priority,
        args=raw(run.args),
        attempt=run.attempt,
        failures=run.failures,
        crashes=run.crashes,
        created_at=then(run.created_at),
        due_at=then(run.due_at),
        started_at=when(run.started_at),
        finished_at=when(run.finished_at),
        progress=percent(run.progress),
        progress_note=run.progress_note,
        result=raw(run.result),
        error=failure(run.error),
        reason=run.reason,
        cancel_requested=run.cancel_requested,
        worker_id=run.worker_id,
        key=run.key,
        rerun_of=run.rerun_of,
        parent_id=run.parent_id,
        node=run.node,
        schedule_id=run.schedule_id,
        state=status_of(run.state),
        item=run.item,
        schedule=origin.schedule if origin else None,
        scheduled_for=when(origin.scheduled_for) if origin else None,
        duration_ms=_duration_ms(run),
        verbs=[] if credential is None else run_verbs(run, credential, is_paused=is_paused),
        namespace=run.namespace,
        ready_at=then(run.ready_at),
        claim=run.fence,
        at_most_once=run.at_most_once,
        backfill_id=run.backfill_id,
        origin=raw(run.origin),
        policy=raw(run.policy),
        held=holds is not None and holds.holds(run),
        obstacle=None if holds is None else _obstacle(run, holds),
        tally=tally or {},
        failure_of=run.failure_of,
        on_failure_run=on_failure_run,
        paused=paused or bool(is_paused),
    )


def _duration_ms(run: RunView) -> int | None:
    ended, started = run.finished_at, run.started_at
    return None if ended is None or started is None else ended - started


def _obstacle(run: RunView, holds: Holds) -> str | None:
    if run.state is not State.QUEUED:
        return None
    found = holds.obstacles(job=run.job, queue=run.queue)
    return found[0].says if found else None


def run_verbs(run: RunView, credential: Credential, *, is_paused: bool | None = None) -> list[str]:
    """`is_paused` says whether a graph is held, where that is known."""
    if not credential.has("operator"):
        return []
    if run.state in FINAL:
        return ["rerun"] if run.parent_id is None else []
    verbs = [] if run.cancel_requested else ["cancel"]
    if run.state is State.SUSPENDED and run.cancel_requested:
        return ["force_cancel", *([] if is_paused is None else ["mark"])]
    if run.state is State.SUSPENDED and is_paused is not None:
        verbs += ["mark", "resume" if is_paused else "pause"]
    return verbs


def origin_of(run: RunView) -> Origin | None:
    """Which instant of which schedule it is for."""
    return None if run.origin is None else _origin.decode(run.origin)


def attempt_document(attempt: AttemptView) -> AttemptDocument:
    return AttemptDocument(
        number=attempt.number,
        kind=attempt.kind,
        claim=attempt.fence,
        worker_id=attempt.worker_id,
        started_at=when(attempt.started_at),
        ended_at=then(attempt.ended_at),
        error=failure(attempt.error),
    )


def log_document(line: LogLine) -> LogDocument:
    return LogDocument(
        attempt=line.attempt,
        claim=line.fence,
        seq=line.seq,
        at=then(line.at),
        level=line.level,
        stream=line.stream,
        text=line.text,
    )


def raw(text: str | None) -> Any:
    """JSON of the store as it is, without reading it; of a value that is kept apart, its hash."""
    return None if text is None else msgspec.Raw(stand_in(text).encode())


def percent(fraction: float | None) -> float | None:
    return None if fraction is None else round(fraction * PERCENT, 2)


def status_of(state: State) -> Any:
    return str(state)


def failure(error: ErrorDetail | None) -> Failure | None:
    if error is None:
        return None
    return Failure(type=error.type, message=error.message, traceback=error.traceback)
