"""Queues: how deep they are and how long they let wait; pause and resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import Document
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.admission.hold import QueueLimit
from rota.engine.admission.queues import QueueView, pause, queue_view, queues, resume
from rota.engine.identity.audit_log import Actor
from rota.engine.insight.queue_limits import limits_of
from rota.engine.insight.statistics import HOUR_MS, MINUTE_MS, total
from rota.engine.insight.statistics import read as statistics
from rota.engine.insight.time_buckets import Bucket, buckets_of, quantiles, success_rate
from rota.engine.runs.find import now_ms
from rota.errors import UnknownQueue
from rota.model.insight.statistics import Quantiles, TimeBucket
from rota.model.view import Body, Page
from rota.rules.text.names import check_name
from rota.store.base import Tx

RATE_MINUTES = 10


class QueueDocument(Document):
    """A queue in which runs wait or run, that a worker serves, or that was paused once."""

    name: str
    queued: int
    scheduled: int
    """Both up to 50,000, and less far where there are more than four queues."""
    is_cut: bool
    """There are more than that."""
    running: int
    held: int
    """Queued runs that a breaker holds back, of the next 5,000."""
    oldest_wait_ms: int | None
    """Of the next 1,000."""
    rate_per_min: float
    """Runs that ended, in the last ten minutes."""
    workers: int
    """That are alive and serve it."""
    slots: int
    """Of these workers together: the most of its runs that go on at once."""
    paused: bool
    note: str | None
    verbs: list[str]


class LimitDocument(Document):
    """What keeps a queue from starting more runs."""

    kind: Literal["paused", "window", "slots", "quota", "breaker"]
    says: str
    used: int | None
    most: int | None
    """Null where it is not about a number."""
    stops: bool
    """Because of it some or all of its runs do not start now."""


class QueueDetail(QueueDocument, kw_only=True):
    """A queue, what bounds it, and how it did in the last hour."""

    limits: list[LimitDocument]
    """A queue has no limit of its own: workers, quotas, breakers, windows and pauses bound it."""
    window_ms: int
    buckets: list[TimeBucket]
    """What ended in each minute."""
    success_rate: float | None
    durations: Quantiles
    waits: Quantiles
    """From being ready to the start."""


class QueueState(Document):
    """Whether runs of a queue are started."""

    name: str
    paused: bool
    note: str | None = None


class PauseBody(Body):
    """Why, for those who wonder."""

    note: str | None = None


@get("/queues", **needs("viewer"))
async def list_queues(request: ApiRequest) -> Page[QueueDocument]:
    """All queues with their depth."""
    found = await request.read(lambda tx: queues(tx, namespace=request.namespace))
    ended = await request.server_state.recent.read(
        ("rates", request.namespace), lambda tx: _ended(tx, request.namespace), only=request.only
    )
    reached = [each for each in found if request.credential.reaches(each.name)]
    return Page(items=[queue_document(each, ended, request) for each in reached])


@get("/queues/{queue:str}", **needs("viewer"))
async def show_queue(request: ApiRequest, queue: FromPath[str]) -> QueueDetail:
    """One queue: what bounds it, its waits and rates; one that nobody used yet is empty."""
    name = _reached(request, queue)
    at = {"namespace": request.namespace}
    is_whole = request.credential.queues is None

    def look(tx: Tx) -> tuple[QueueView, list[QueueLimit], list[Bucket]]:
        limits = limits_of(tx, name, is_whole=is_whole, **at)
        buckets = buckets_of(tx, window_ms=HOUR_MS, queues=[name], **at)
        return queue_view(tx, name, **at), limits, buckets

    view, limits, buckets = await request.read(look)
    recent = sum(each.statistic.ended for each in buckets[-RATE_MINUTES:])
    whole = total(each.statistic for each in buckets)
    return QueueDetail(
        **msgspec.structs.asdict(queue_document(view, {name: recent}, request)),
        limits=[LimitDocument(**msgspec.structs.asdict(each)) for each in limits],
        window_ms=HOUR_MS,
        buckets=[each.view() for each in buckets],
        success_rate=success_rate(whole),
        durations=quantiles(whole.durations),
        waits=quantiles(whole.waits),
    )


@post("/queues/{queue:str}/pause", **needs("operator", changes=True), status_code=200)
async def pause_queue(
    request: ApiRequest, queue: FromPath[str], data: JSONBody[PauseBody | None] = None
) -> QueueState:
    """Start nothing new from this queue; what runs goes on."""
    name = _reached(request, queue)
    note = data.note if data else None

    def pause_it(tx: Tx, _: Actor) -> QueueState:
        pause(tx, name, namespace=request.namespace, note=note)
        return QueueState(name=name, paused=True, note=note)

    return await request.change(
        "pause queue", name, pause_it, answers=QueueState, detail={"note": note} if note else {}
    )


@post("/queues/{queue:str}/resume", **needs("operator", changes=True), status_code=200)
async def resume_queue(request: ApiRequest, queue: FromPath[str]) -> QueueState:
    """Start what waits, in the old order."""
    name = _reached(request, queue)

    def resume_it(tx: Tx, _: Actor) -> QueueState:
        resume(tx, name, namespace=request.namespace)
        return QueueState(name=name, paused=False)

    return await request.change("resume queue", name, resume_it, answers=QueueState)


def queue_document(
    queue: QueueView, ended: Mapping[str, int], request: ApiRequest
) -> QueueDocument:
    verb = "resume" if queue.is_paused else "pause"
    return QueueDocument(
        name=queue.name,
        queued=queue.queued,
        scheduled=queue.scheduled,
        is_cut=queue.is_cut,
        running=queue.running,
        held=queue.held,
        oldest_wait_ms=queue.oldest_ms,
        rate_per_min=round(ended.get(queue.name, 0) / RATE_MINUTES, 2),
        workers=queue.workers,
        slots=queue.slots,
        paused=queue.is_paused,
        note=queue.note,
        verbs=offered(request.credential, verb),
    )


def _ended(tx: Tx, namespace: str) -> dict[str, int]:
    """How many runs of each queue ended lately."""
    since = now_ms(tx) - RATE_MINUTES * MINUTE_MS
    ended: dict[str, int] = {}
    for place, each in statistics(tx, namespace=namespace, span_ms=MINUTE_MS, since=since).items():
        ended[place.queue] = ended.get(place.queue, 0) + each.ended
    return ended


def _reached(request: ApiRequest, part: str) -> str:
    """A queue may be paused before its first run, so any good name that is reached will do."""
    name = check_name("queue", named(part))
    if not request.credential.reaches(name):
        raise UnknownQueue(name)
    return name


ROUTES = (list_queues, show_queue, pause_queue, resume_queue)
