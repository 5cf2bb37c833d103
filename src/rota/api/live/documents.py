"""The documents of live streams: the current state of things, small and without others' secrets."""

from __future__ import annotations

import msgspec

from rota.api.server.documents import Document, Moment, then, when
from rota.engine.insight.changes import ChangedRun
from rota.engine.workers.registry import WorkerRecord
from rota.model.admission.queue import QueueView
from rota.model.logs.log import FoundLine


class Cause(Document):
    """Why an attempt failed, without its traceback."""

    type: str
    message: str


class RunTold(Document):
    """A run as it is now; its page has the rest."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    version: int
    status: str
    queue: str
    priority: int
    attempt: int
    failures: int
    crashes: int
    created_at: Moment
    due_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    duration_ms: int | None
    progress: float | None
    progress_note: str | None
    worker_id: str | None
    schedule_id: str | None
    parent_id: str | None
    node: str | None
    item: int | None
    cancel_requested: bool
    error: Cause | None
    reason: str | None


class QueueTold(Document):
    """A queue as it is now."""

    name: str
    queued: int
    scheduled: int
    is_cut: bool
    running: int
    held: int
    oldest_wait_ms: int | None
    paused: bool
    note: str | None


class WorkerTold(Document):
    """A worker as it is now."""

    id: str
    name: str
    host: str
    pid: int
    slots: int
    busy: int
    alive: bool
    draining: bool


class Gone(Document):
    """It is not there any more."""

    id: str
    gone: bool = True


class Changed(Document):
    """Somebody did something; which pages show it is theirs to know."""

    only_acts: bool
    """The audit has more, and all definitions are as they were."""


class LineTold(Document):
    """One line of a run."""

    run_id: str = msgspec.field(name="executionId")
    attempt: int
    claim: int
    seq: int
    at: Moment
    level: str
    stream: str
    text: str


def event(kind: str, document: Document) -> bytes:
    """Return an event as a stream carries it, without its id."""
    return b"event: %b\ndata: %b\n" % (kind.encode(), msgspec.json.encode(document))


def run_event(run: ChangedRun) -> bytes:
    took = None
    if run.started_at is not None and run.finished_at is not None:
        took = run.finished_at - run.started_at
    told = RunTold(
        run_id=run.id,
        job=run.job,
        version=run.version,
        status=str(run.state),
        queue=run.queue,
        priority=run.priority,
        attempt=run.attempt,
        failures=run.failures,
        crashes=run.crashes,
        created_at=then(run.created_at),
        due_at=then(run.due_at),
        started_at=when(run.started_at),
        finished_at=when(run.finished_at),
        duration_ms=took,
        progress=None if run.progress is None else round(run.progress * 100, 2),
        progress_note=run.progress_note,
        worker_id=run.worker_id,
        schedule_id=run.schedule_id,
        parent_id=run.parent_id,
        node=run.node,
        item=run.item,
        cancel_requested=run.cancel_requested,
        error=None if run.error is None else Cause(type=run.error.type, message=run.error.message),
        reason=run.reason,
    )
    return event("run", told)


def queue_told(queue: QueueView) -> QueueTold:
    return QueueTold(
        name=queue.name,
        queued=queue.queued,
        scheduled=queue.scheduled,
        is_cut=queue.is_cut,
        running=queue.running,
        held=queue.held,
        oldest_wait_ms=queue.oldest_ms,
        paused=queue.is_paused,
        note=queue.note,
    )


def worker_told(worker: WorkerRecord) -> WorkerTold:
    return WorkerTold(
        id=worker.id,
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        slots=worker.slots,
        busy=worker.running,
        alive=worker.is_alive,
        draining=worker.is_draining or worker.drain_asked,
    )


def line_event(line: FoundLine) -> bytes:
    told = LineTold(
        run_id=line.run_id,
        attempt=line.attempt,
        claim=line.fence,
        seq=line.seq,
        at=line.at.text(),
        level=line.level,
        stream=line.stream,
        text=line.text,
    )
    return event("log", told)
