"""Operations on queues: list them with depth and bounds; pause one, resume one."""

from __future__ import annotations

from msgspec.structs import asdict, replace

from rota.engine.admission import queues as engine
from rota.engine.insight.queue_limits import limits_of
from rota.engine.insight.statistics import HOUR_MS, MINUTE_MS, total
from rota.engine.insight.statistics import read as statistics
from rota.engine.insight.time_buckets import buckets_of, quantiles, success_rate
from rota.engine.runs.find import now_ms
from rota.errors import UnknownQueue
from rota.model.admission.queue import QueueDetail, QueueState, QueueView
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.rules.text.names import check_name
from rota.store.base import Tx

RATE_MINUTES = 10


@reads("/queues")
def list_queues(tx: Tx, caller: Caller) -> Page[QueueView]:
    """All queues with their depth."""
    found = engine.queues(tx, namespace=caller.namespace)
    ended = caller.tools.recent.read(
        ("ended", caller.namespace), lambda: _ended(tx, caller.namespace)
    )
    return Page(
        items=[
            _offered(each, ended.get(each.name, 0), caller)
            for each in found
            if caller.sees(each.name)
        ]
    )


@reads("/queues/{queue}")
def show_queue(tx: Tx, caller: Caller, queue: str) -> QueueDetail:
    """One queue: what bounds it, its waits and rates; one that nobody used yet is empty."""
    _check_visible(caller, queue)
    at = {"namespace": caller.namespace}
    limits = limits_of(tx, queue, is_whole=caller.sees_all_queues, **at)
    buckets = buckets_of(tx, window_ms=HOUR_MS, queues=[queue], **at)
    recent = sum(each.statistic.ended for each in buckets[-RATE_MINUTES:])
    whole = total(each.statistic for each in buckets)
    view = _offered(engine.queue_view(tx, queue, **at), recent, caller)
    return QueueDetail(
        **asdict(view),
        limits=limits,
        window_ms=HOUR_MS,
        buckets=[each.view() for each in buckets],
        success_rate=success_rate(whole),
        durations=quantiles(whole.durations),
        waits=quantiles(whole.waits),
    )


@changes("POST", "/queues/{queue}/pause", verb="pause queue", subject="queue")
def pause_queue(tx: Tx, caller: Caller, queue: str, *, note: str | None = None) -> QueueState:
    """Start nothing new from this queue; what runs goes on."""
    _check_visible(caller, queue)
    tell(tx, caller, note=note or None)
    if not engine.pause(tx, queue, namespace=caller.namespace, note=note):
        nothing_changed(tx, caller)
    return QueueState(name=queue, paused=True, note=note)


@changes("POST", "/queues/{queue}/resume", verb="resume queue", subject="queue")
def resume_queue(tx: Tx, caller: Caller, queue: str) -> QueueState:
    """Start what waits, in the old order."""
    _check_visible(caller, queue)
    if not engine.resume(tx, queue, namespace=caller.namespace):
        nothing_changed(tx, caller)
    return QueueState(name=queue, paused=False)


def _check_visible(caller: Caller, queue: str) -> None:
    """Check that the caller may see the queue; it may be paused before its first run."""
    check_name("queue", queue)
    if not caller.sees(queue):
        raise UnknownQueue(queue)


def _ended(tx: Tx, namespace: str) -> dict[str, int]:
    """Return how many runs of each queue ended lately."""
    since = now_ms(tx) - RATE_MINUTES * MINUTE_MS
    ended: dict[str, int] = {}
    for place, each in statistics(tx, namespace=namespace, span_ms=MINUTE_MS, since=since).items():
        ended[place.queue] = ended.get(place.queue, 0) + each.ended
    return ended


def _offered(queue: QueueView, ended: int, caller: Caller) -> QueueView:
    verbs = caller.may("resume" if queue.is_paused else "pause")
    return replace(queue, rate_per_min=round(ended / RATE_MINUTES, 2), verbs=verbs)
