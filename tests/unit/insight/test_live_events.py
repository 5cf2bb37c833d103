"""Live events are parts of views, and their bytes are those that clients know."""

from __future__ import annotations

import json
from typing import Any, get_type_hints

import msgspec
import pytest

from rota.api.live.events import event, line_event
from rota.api.live.fleet import _worker_event
from rota.clock import moment
from rota.engine.insight.changes import _change
from rota.engine.workers.registry import WorkerRecord
from rota.model.admission.queue import QueueView
from rota.model.insight.live_events import (
    ErrorSummary,
    GoneEvent,
    LineEvent,
    QueueEvent,
    RunEvent,
    WorkerEvent,
)
from rota.model.logs.log import FoundLine
from rota.model.runs.run import ErrorView, RunView
from rota.model.view import View, project
from rota.model.workers.worker import WorkerView

RUN = "019a8f3e-0000-7000-8000-000000000001"
ROW: dict[str, Any] = {
    "id": RUN, "namespace": "default", "job": "mail", "version": 3, "queue": "default",
    "priority": 10, "state": "running", "attempt": 2, "failures": 1, "crashes": 0,
    "created_at": 1763500000123, "due_at": 1763500000123, "started_at": 1763500001456,
    "finished_at": None, "progress": 0.4567, "progress_note": "half", "worker_id": "w-1",
    "schedule_id": None, "parent_id": None, "node": None, "item": None, "cancel_requested": 0,
    "error": None, "reason": None,
}  # fmt: skip
ENDED: dict[str, Any] = {
    **ROW, "state": "failed", "finished_at": 1763500009999, "progress": None, "item": 0,
    "error": '{"type":"ValueError","message":"no \\u00fc","traceback":"long","worker":"w"}',
    "schedule_id": "s-1", "parent_id": "p-1", "node": "load", "cancel_requested": 1,
    "reason": "retries used up",
}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        (RunEvent, RunView),
        (ErrorSummary, ErrorView),
        (QueueEvent, QueueView),
        (WorkerEvent, WorkerView),
        (LineEvent, FoundLine),
    ],
)
def test_a_field_of_an_event_is_that_of_its_view(part: type[View], whole: type[View]) -> None:
    names = {each.name: each.encode_name for each in msgspec.structs.fields(whole)}
    kinds = {**get_type_hints(whole), "error": ErrorSummary | None}

    for each in msgspec.structs.fields(part):
        assert each.encode_name == names[each.name]
        assert get_type_hints(part)[each.name] == kinds[each.name]


def test_the_event_of_a_run_has_the_bytes_that_clients_know() -> None:
    namespace, run = _change(ROW)

    assert namespace == "default"
    assert event("run", run) == (
        b'event: run\ndata: {"executionId":"019a8f3e-0000-7000-8000-000000000001","jobId":"mail",'
        b'"version":3,"status":"running","queue":"default","priority":10,"attempt":2,"failures":1,'
        b'"crashes":0,"createdAt":"2025-11-18T21:06:40.123Z","dueAt":"2025-11-18T21:06:40.123Z",'
        b'"startedAt":"2025-11-18T21:06:41.456Z","finishedAt":null,"durationMs":null,'
        b'"progress":45.67,"progressNote":"half","workerId":"w-1","scheduleId":null,'
        b'"parentId":null,"node":null,"item":null,"cancelRequested":false,"error":null,'
        b'"reason":null}\n'
    )


def test_the_event_of_an_ended_run_tells_how_long_it_took_and_why_it_failed() -> None:
    told = json.loads(event("run", _change(ENDED).event).split(b"data: ")[1])

    assert (told["durationMs"], told["finishedAt"]) == (8543, "2025-11-18T21:06:49.999Z")
    assert told["error"] == {"type": "ValueError", "message": "no ü"}
    assert (told["progress"], told["item"], told["cancelRequested"]) == (None, 0, True)


def test_events_of_queues_workers_and_lines_have_the_bytes_that_clients_know() -> None:
    queue = QueueView(
        name="mail", queued=3, scheduled=1, is_cut=True, running=2, held=1, oldest_ms=1234,
        is_paused=True, note="why",
    )  # fmt: skip
    worker = WorkerRecord(
        id="w1", name="w", host="h", pid=7, queues=("a",), slots=4, running=2, version="1",
        is_alive=True, is_draining=False, started_at=1, seen_at=2, now=3, drain_asked=True,
    )  # fmt: skip
    line = FoundLine(
        attempt=1, fence=2, seq=3, at=moment(1763500001456), level="info", stream="stdout",
        text="hi", run_id=RUN, job="mail",
    )  # fmt: skip

    assert event("queue", project(QueueEvent, queue)) == (
        b'event: queue\ndata: {"name":"mail","queued":3,"scheduled":1,"isCut":true,"running":2,'
        b'"held":1,"oldestWaitMs":1234,"paused":true,"note":"why"}\n'
    )
    assert event("worker", _worker_event(worker)) == (
        b'event: worker\ndata: {"id":"w1","name":"w","host":"h","pid":7,"slots":4,"busy":2,'
        b'"alive":true,"draining":true}\n'
    )
    assert line_event(line) == (
        b'event: log\ndata: {"executionId":"019a8f3e-0000-7000-8000-000000000001","attempt":1,'
        b'"claim":2,"seq":3,"at":"2025-11-18T21:06:41.456Z","level":"info","stream":"stdout",'
        b'"text":"hi"}\n'
    )
    assert event("queue", GoneEvent(id="mail")) == (
        b'event: queue\ndata: {"id":"mail","gone":true}\n'
    )
