"""Attention: the problems of a namespace that need a person now, each with advice.

It is read with every overview, so all of it comes from indexes and short tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rota.clock import moment
from rota.engine.admission.queues import Depth
from rota.engine.failures.breakers.control import breakers, held_jobs
from rota.engine.jobs.definitions import current_specs
from rota.engine.runs.find import now_ms
from rota.engine.values.stored_text import error_of
from rota.engine.workers.registry import WorkerRecord
from rota.model.admission.breaker import BreakerView
from rota.model.insight.statistics import Concern
from rota.rules.text.duration import format_duration
from rota.store.base import Row, Tx

PATIENCE_MS = 10_000
"""Shorter problems need nobody: workers are restarted, and schedulers are busy for a while."""
LATE_MS = 60_000
LOST_MS = 3_600_000
NAMED = 3
LOOKED_AT = 5_000
"""The number of latest attempts that did not end well, and of next schedules, that are examined."""

RESUME = "If nobody means to stop them, resume them: `rota workers resume NAME`. "


def attention(
    tx: Tx,
    *,
    namespace: str,
    depths: Mapping[str, Depth],
    crew: Sequence[WorkerRecord],
    queues: Sequence[str] | None = None,
    merges: bool = True,
) -> list[Concern]:
    """Return the problems, worst first; `depths` and `crew` are those that the caller may see.

    With `merges`, many queues that no worker serves are one problem.
    """
    now = now_ms(tx)
    marked = {row["name"]: row for row in tx.all("list_queues", namespace=namespace)}
    paused = {name: row for name, row in marked.items() if row["is_paused"]}
    return [
        *(_overdue(tx, now, namespace=namespace) if queues is None else ()),
        *_unserved(
            {name: each for name, each in depths.items() if name not in paused},
            crew,
            now,
            merges=merges,
        ),
        *_silent(crew),
        *_paused(paused, depths),
        *_held(tx, namespace=namespace, queues=queues),
        *(_lost(tx, now, namespace=namespace) if queues is None else ()),
    ]


def _overdue(tx: Tx, now: int, *, namespace: str) -> Iterator[Concern]:
    (row,) = tx.all("overdue_schedules", namespace=namespace, late_ms=LATE_MS, most=LOOKED_AT)
    if row["schedules"]:
        many = _counted(row["schedules"], "schedule is", "schedules are")
        yield Concern(
            kind="overdue",
            subject="",
            says=f"{many} overdue by up to {_rounded(now - row['first_at'])}: nobody fires them.",
            advice="Workers fire schedules: start one, `rota up` or `rota worker`.",
            since=moment(row["first_at"]),
        )


def _unserved(
    depths: Mapping[str, Depth], crew: Sequence[WorkerRecord], now: int, *, merges: bool
) -> Iterator[Concern]:
    alive = [each for each in crew if each.is_alive]
    served = {queue for each in alive if each.takes_new for queue in each.queues}
    drained = {queue for each in alive for queue in each.queues} - served
    waiting = {
        name: each
        for name, each in depths.items()
        if each.queued and name not in served and (each.oldest_ms or 0) >= PATIENCE_MS
    }
    if merges and not served and len(waiting) > 1:
        yield _deserted(waiting, now, has_workers=bool(alive))
        return
    for name, depth in sorted(waiting.items(), key=lambda each: -each[1].queued):
        many = _counted(depth.queued, "run waits", "runs wait", is_cut=depth.is_cut)
        is_drained = name in drained
        why = "whose workers are draining" if is_drained else "which no living worker serves"
        yield Concern(
            kind="unserved",
            subject=name,
            says=f"{many} in queue {name}, {why}.",
            advice=f"{RESUME if is_drained else ''}Start a worker for it: "
            f"`rota worker APP --queues {name}`.",
            runs=depth.queued,
            since=moment(now - (depth.oldest_ms or 0)),
        )


def _deserted(waiting: Mapping[str, Depth], now: int, *, has_workers: bool) -> Concern:
    """Return one problem for many queues, instead of one for each."""
    runs = sum(each.queued for each in waiting.values())
    is_cut = any(each.is_cut for each in waiting.values())
    many = _counted(runs, "run waits", "runs wait", is_cut=is_cut)
    why = "no worker takes new ones of them" if has_workers else "no worker is alive"
    return Concern(
        kind="unserved",
        subject="",
        says=f"{many} in {len(waiting):,} queues, and {why}.",
        advice=f"{RESUME if has_workers else ''}"
        "Start workers: `rota worker APP`, or `rota up APP`.",
        runs=runs,
        since=moment(now - max(each.oldest_ms or 0 for each in waiting.values())),
    )


def _silent(crew: Sequence[WorkerRecord]) -> Iterator[Concern]:
    for each in crew:
        if not each.is_alive:
            has = _counted(each.running, "run", "runs")
            yield Concern(
                kind="silent",
                subject=each.name,
                says=f"Worker {each.name} on {each.host}, which had {has}, is not heard from.",
                advice="It hangs, was killed or is cut off. Others take its runs over soon.",
                runs=each.running,
                since=moment(each.seen_at),
            )


def _paused(
    paused: Mapping[str, Mapping[str, object]], depths: Mapping[str, Depth]
) -> Iterator[Concern]:
    for name, row in paused.items():
        depth = depths.get(name)
        if depth is not None and depth.queued:
            many = _counted(depth.queued, "run waits", "runs wait", is_cut=depth.is_cut)
            yield Concern(
                kind="paused",
                subject=name,
                says=f"Queue {name} is paused, and {many} in it.",
                advice="Resume the queue once the reason is gone.",
                runs=depth.queued,
                since=moment(int(str(row["changed_at"]))),
                note=None if row["note"] is None else str(row["note"]),
            )


def _held(tx: Tx, *, namespace: str, queues: Sequence[str] | None) -> Iterator[Concern]:
    jobs = held_jobs(tx, namespace=namespace)
    if not jobs:
        return
    specs = current_specs(tx, set(jobs), namespace=namespace)
    for each in breakers(tx, namespace=namespace):
        is_reached = queues is None or (each.job in specs and specs[each.job][1].queue in queues)
        if each.job in jobs and each.held and is_reached:
            yield _holding(each)


def _holding(breaker: BreakerView) -> Concern:
    many = _counted(breaker.held, "run waits", "runs wait")
    if breaker.stays:
        says = f"Job {breaker.job} is paused, and {many} for it."
        advice = "Resume the job once the reason is gone."
    else:
        says = f"Job {breaker.job} failed too often and is held back: {many} for it."
        advice = "One run is tried now and then; when it succeeds the others follow."
    return Concern(
        kind="held",
        subject=breaker.job,
        says=says,
        advice=advice,
        runs=breaker.held,
        since=breaker.changed_at,
        note=breaker.note,
    )


def _lost(tx: Tx, now: int, *, namespace: str) -> Iterator[Concern]:
    at = {"namespace": namespace, "since": now - LOST_MS, "most": LOOKED_AT}
    rows = tx.all("lost_lately", **at)
    if rows:
        runs = sum(row["runs"] for row in rows)
        workers = _counted(len(rows), "worker", "workers")
        yield Concern(
            kind="lost",
            subject="",
            says=f"In the last hour {workers} died or hung with {_counted(runs, 'run', 'runs')} at "
            f"work{_newest(rows)}.",
            advice="The runs were given back. Was a machine stopped, or out of memory?",
            runs=runs,
            since=moment(rows[0]["last_at"]),
        )


def _newest(rows: Sequence[Row]) -> str:
    """Return the names of the last few known workers, as a part of a sentence."""
    errors = [error_of(row["error"]) for row in rows]
    names = [each.worker for each in errors if each and each.worker][:NAMED]
    if not names:
        return ""
    more = len(rows) - len(names)
    return f": {', '.join(names)}{f' and {more:,} more' if more else ''}"


def _counted(number: int, one: str, many: str, *, is_cut: bool = False) -> str:
    return f"{number:,}{'+' if is_cut else ''} {one if number == 1 else many}"


def _rounded(length_ms: int) -> str:
    return format_duration(max(1000, length_ms // 1000 * 1000))
