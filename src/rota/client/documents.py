"""What a server answers, and the same as the views that a local call gives."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from rota.clock import to_ms
from rota.engine.admission.queues import QueueView
from rota.engine.insight.reasons import Kind, Reason
from rota.engine.workers.registry import WorkerView
from rota.model.log import Level, LogLine, Stream
from rota.model.run import AttemptView, ErrorDetail, RunView
from rota.model.states import State

T = TypeVar("T")
PERCENT = 100


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Some of many."""

    items: list[T]
    next: str | None = None


class Answer(msgspec.Struct, kw_only=True, rename="camel"):
    """What a server sends; fields that a newer one adds are left alone."""


class Named(Answer):
    """A run that was made or changed."""

    run_id: str = msgspec.field(name="executionId")
    status: str
    is_new: bool = True


class ManyNamed(Answer):
    """One for each run that was asked for."""

    runs: list[Named]


class SessionAnswer(Answer):
    """Whose token it is."""

    who: str
    namespace: str
    roles: tuple[str, ...]
    queues: tuple[str, ...] | None = None


class RunAnswer(Answer):
    """One requested execution."""

    run_id: str = msgspec.field(name="executionId")
    namespace: str
    job: str = msgspec.field(name="jobId")
    version: int
    status: State
    queue: str
    priority: int
    args: msgspec.Raw
    attempt: int
    failures: int
    crashes: int
    created_at: datetime
    due_at: datetime
    ready_at: datetime
    claim: int
    at_most_once: bool
    cancel_requested: bool
    started_at: datetime | None = None
    finished_at: datetime | None = None
    progress: float | None = None
    progress_note: str | None = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: ErrorDetail | None = None
    reason: str | None = None
    worker_id: str | None = None
    key: str | None = None
    rerun_of: str | None = None
    parent_id: str | None = None
    node: str | None = None
    item: int | None = None
    schedule_id: str | None = None
    backfill_id: str | None = None
    origin: msgspec.Raw = msgspec.Raw(b"null")
    policy: msgspec.Raw = msgspec.Raw(b"null")
    held: bool = False
    obstacle: str | None = None
    tally: dict[str, int] = {}
    on_failure_run: str | None = None
    paused: bool = False


class AttemptAnswer(Answer):
    """An attempt that did not succeed."""

    number: int
    claim: int
    kind: str
    worker_id: str | None
    started_at: datetime | None
    ended_at: datetime
    error: ErrorDetail | None


class LineAnswer(Answer):
    """One line that a handler printed or logged."""

    attempt: int
    claim: int
    seq: int
    at: datetime
    level: Level
    stream: Stream
    text: str


class FoundLine(LineAnswer, kw_only=True):
    """A line, and whose it is."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")


class ReasonAnswer(Answer):
    """One thing that keeps a run from running."""

    kind: Kind
    says: str
    count: int | None = None
    until: datetime | None = None


class QueueAnswer(Answer):
    """A queue."""

    name: str
    queued: int
    scheduled: int
    running: int
    held: int
    oldest_wait_ms: int | None
    paused: bool
    note: str | None
    is_cut: bool = False
    workers: int = 0
    slots: int = 0


class WorkerAnswer(Answer):
    """A worker process on record."""

    id: str
    name: str
    host: str
    pid: int
    version: str
    queues: tuple[str, ...]
    slots: int
    busy: int
    started_at: datetime
    seen_at: datetime
    alive: bool
    draining: bool
    jobs: tuple[str, ...] | None = None
    left_behind: int = 0


def run_view(run: RunAnswer) -> RunView:
    facts: dict[str, Any] = {
        name: getattr(run, name)
        for name in RunView.__struct_fields__
        if name in RunAnswer.__struct_fields__
    }
    facts |= {
        name: ms_or_none(value) for name, value in facts.items() if isinstance(value, datetime)
    }
    facts |= {name: _text(getattr(run, name)) for name in ("result", "origin", "policy")}
    return RunView(
        **facts
        | {
            "id": run.run_id,
            "state": run.status,
            "args": bytes(run.args).decode(),
            "result": _result(run),
            "fence": run.claim,
            "progress": None if run.progress is None else run.progress / PERCENT,
        }
    )


def attempt_view(attempt: AttemptAnswer) -> AttemptView:
    return AttemptView(
        number=attempt.number,
        fence=attempt.claim,
        kind=attempt.kind,
        worker_id=attempt.worker_id,
        started_at=ms_or_none(attempt.started_at),
        ended_at=to_ms(attempt.ended_at),
        error=attempt.error,
    )


def log_line(line: LineAnswer, *, run_id: str, job: str) -> LogLine:
    return LogLine(
        run_id=run_id,
        job=job,
        attempt=line.attempt,
        fence=line.claim,
        seq=line.seq,
        at=to_ms(line.at),
        level=line.level,
        stream=line.stream,
        text=line.text,
    )


def reason(said: ReasonAnswer) -> Reason:
    return Reason(kind=said.kind, says=said.says, count=said.count, until=ms_or_none(said.until))


def queue_view(queue: QueueAnswer) -> QueueView:
    alike = ("name", "note", "queued", "running", "scheduled", "held", "is_cut", "workers", "slots")
    same = {name: getattr(queue, name) for name in alike}
    return QueueView(is_paused=queue.paused, oldest_ms=queue.oldest_wait_ms, **same)


def worker_view(worker: WorkerAnswer, *, now: int) -> WorkerView:
    return WorkerView(
        id=worker.id,
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        queues=worker.queues,
        jobs=worker.jobs,
        slots=worker.slots,
        running=worker.busy,
        left_behind=worker.left_behind,
        version=worker.version,
        is_alive=worker.alive,
        is_draining=worker.draining,
        started_at=to_ms(worker.started_at),
        seen_at=to_ms(worker.seen_at),
        now=now,
    )


def ms_or_none(when: datetime | None) -> int | None:
    """As the store counts."""
    return None if when is None else to_ms(when)


def _text(raw: msgspec.Raw) -> str | None:
    """JSON text; a null is one that is not there."""
    text = bytes(raw).decode()
    return None if text == "null" else text


def _result(run: RunAnswer) -> str | None:
    """A run that succeeded has a result, even if that is null."""
    text = bytes(run.result).decode()
    return text if run.status is State.SUCCESS or text != "null" else None
