"""Statistics: outcomes and durations of runs, counted from history a little later (ADR 24).

Counting reads a part of history without locks, then adds it up in one short transaction that moves
a mark; if two processes counted the same part, only one of them can add it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.values.stored_text import read as read_text
from rota.errors import BadInput
from rota.rules.insight.histogram import added
from rota.store.base import Row, Tx

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
SPANS = (MINUTE_MS, HOUR_MS)
EVER = 0
"""In place of a span: all since counting began. It only grows, as counters have to."""
KEEP = {MINUTE_MS: 2 * DAY_MS, HOUR_MS: 30 * DAY_MS}
SETTLED_MS = 30_000
"""History younger than this may still get rows with earlier times."""
PART_MS = MINUTE_MS
ALL = ""
"""Stands for the job and the queue in counts of a whole namespace."""
FIRST_MS = 5 * MINUTE_MS
"""How far back the very first count begins."""
TRIES = 5
"""The tries of a read. Parts are added seconds apart: no read meets one this often in a row."""
ERROR = '{"type":"'
ADDRESS_WALL = "rota.runtime.executors.http.ssrf"
PROGRAM_WALL = "rota.runtime.executors.command.start"
"""The modules whose errors mean that a worker's settings do not allow a program or address."""
_spread = msgspec.json.Decoder(dict[int, int])


class StatisticKey(NamedTuple):
    """The runs and the span of time that a statistic is of."""

    namespace: str
    span_ms: int
    at: int
    job: str
    queue: str


class Statistic(msgspec.Struct, kw_only=True):
    """The outcomes of runs in a span of time."""

    success: int = 0
    failed: int = 0
    cancelled: int = 0
    skipped: int = 0
    retries: int = 0
    """The attempts that were made again."""
    busy_ms: int = 0
    refused: int = 0
    """The failures because the worker may not reach such an address or start such a program."""
    durations: dict[int, int] = msgspec.field(default_factory=dict)
    waits: dict[int, int] = msgspec.field(default_factory=dict)
    """Times from being ready to the start."""
    lags: dict[int, int] = msgspec.field(default_factory=dict)
    """Times from the instant to the start, for first attempts of schedules."""

    @property
    def ended(self) -> int:
        return self.success + self.failed + self.cancelled + self.skipped


Statistics = dict[StatisticKey, Statistic]


class CountedPart(NamedTuple):
    """A part of history that was counted and not added yet."""

    since: int | None
    until: int
    counts: Statistics
    is_last: bool


def next_part(tx: Tx) -> CountedPart | None:
    """Count history that is settled and not counted yet, at most a minute of it; reads only."""
    row = tx.all("counted_until")[0]
    if row["until"] is None:
        return CountedPart(None, row["now"] - FIRST_MS, {}, is_last=False)
    end = row["now"] - SETTLED_MS
    if row["next"] is None or row["next"] >= end:
        return None
    until = min(end, row["next"] + PART_MS)
    counts = count(tx, since=row["next"], until=until)
    return CountedPart(row["until"], until, counts, is_last=until == end)


def count(tx: Tx, *, since: int, until: int, namespace: str | None = None) -> Statistics:
    """Count the runs that ended in that time, by minutes."""
    at = {"since": since, "until": until, "namespace": namespace}
    walls = {"address": f"{ERROR}{ADDRESS_WALL}.%", "program": f"{ERROR}{PROGRAM_WALL}.%"}
    totals: Statistics = {}
    for row in tx.all("count_endings", **at, **walls):
        each = totals.setdefault(_minute(row), Statistic())
        setattr(each, row["state"], row["runs"])
        each.refused += int(row["refused"])
        each.retries += int(row["retries"])
        each.busy_ms += int(row["busy_ms"])
    for row in tx.all("count_times", **at):
        each = totals.setdefault(_minute(row), Statistic())
        spread = {"duration": each.durations, "wait": each.waits, "lag": each.lags}[row["kind"]]
        spread[row["step"]] = row["runs"]
    return totals


def add(tx: Tx, part: CountedPart) -> bool:
    """Add a part to the stored statistics; False if another process added it."""
    if part.since is None:
        return tx.execute("begin_counting", until=part.until) > 0
    if not tx.execute("move_counted", since=part.since, until=part.until):
        return False
    if not tx.execute("move_totals", since=part.since, until=part.until):
        whole_since = -(-part.since // HOUR_MS) * HOUR_MS
        tx.execute("begin_totals", whole_since=whole_since, until=part.until)
    fresh: Statistics = {}
    for place, each in part.counts.items():
        for one in _kept_as(place):
            fresh[one] = total([fresh[one], each]) if one in fresh else each
    if fresh:
        batch = msgspec.json.encode([place._asdict() for place in fresh]).decode()
        for row in tx.all("find_statistics", batch=batch):
            place = _place(row)
            fresh[place] = total([fresh[place], _statistic(row)])
        rows = [_row(place, each) for place, each in fresh.items()]
        tx.execute("put_statistics", batch=json.dumps(rows))
    return True


def _kept_as(place: StatisticKey) -> Iterator[StatisticKey]:
    """Yield the key of every row to which the counts of a minute are added."""
    for span_ms in SPANS:
        wider = place._replace(span_ms=span_ms, at=place.at // span_ms * span_ms)
        yield wider
        yield wider._replace(job=ALL, queue=ALL)
    yield from _ever_of(place)


def _ever_of(place: StatisticKey) -> tuple[StatisticKey, StatisticKey]:
    ever = place._replace(span_ms=EVER, at=0)
    return ever, ever._replace(job=ALL)


def read(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    span_ms: int,
    since: int,
    job: str | None = None,
    queues: Sequence[str] | None = None,
    whole: bool = False,
) -> Statistics:
    """Return stored and uncounted statistics since a time; `whole` need not tell jobs apart."""
    scope = None if queues is None else json.dumps(list(queues))
    at = {"namespace": namespace, "span_ms": span_ms, "since": since}
    mark = tx.all("counted_until")[0]
    rows: list[Row] = []
    until = mark["totals_since"] if whole else None
    if until is not None:
        rows += tx.all("read_totals", **at | {"since": max(since, until)})
    if until is None or until > since:  # from before there were totals, or while there are none
        rows += tx.all("read_statistics", job=job, queues=scope, until=until, **at)
    totals = {_place(row): _statistic(row) for row in rows}
    for place, each in _rest(tx, mark, since=since, namespace=namespace).items():
        if job not in (None, place.job) or (queues is not None and place.queue not in queues):
            continue
        wider = place._replace(span_ms=span_ms, at=place.at // span_ms * span_ms)
        totals[wider] = total([totals[wider], each]) if wider in totals else each
    return totals


def ever(
    tx: Tx, *, namespace: str, limit: int, queues: Sequence[str] | None = None
) -> tuple[Statistics, bool]:
    """Return what ended since counting began, by job and queue and, without a job, by queue.

    Up to `limit` of each, in the order of names; True if there are more. It never shrinks: if
    another process adds what was counted here meanwhile, it reads again.
    """
    tries = 0
    while True:
        mark = tx.all("counted_until")[0]
        totals = _ever(tx, mark, namespace=namespace, limit=limit, queues=queues)
        tries += 1
        if tries == TRIES or tx.all("counted_until")[0]["until"] == mark["until"]:
            return totals


def _ever(
    tx: Tx, mark: Row, *, namespace: str, limit: int, queues: Sequence[str] | None
) -> tuple[Statistics, bool]:
    scope = None if queues is None else json.dumps(list(queues))
    fresh: Statistics = {}
    for place, each in _rest(tx, mark, since=0, namespace=namespace).items():
        if queues is None or place.queue in queues:
            for one in _ever_of(place):
                fresh[one] = total([fresh[one], each]) if one in fresh else each
    totals: Statistics = {}
    are_cut = False
    for statement, is_of_job in (("read_ever_of_queues", False), ("read_ever_of_jobs", True)):
        rows = tx.all(statement, namespace=namespace, queues=scope, limit=limit + 1)
        page = {_place(row): _statistic(row) for row in rows[:limit]}
        # A stored one that was cut off must not appear with its last seconds alone.
        new = () if len(rows) > limit else sorted(fresh.keys() - page.keys())
        ours = [place for place in (*page, *new) if (place.job != ALL) == is_of_job]
        are_cut = are_cut or len(rows) > limit or len(ours) > limit
        for place in ours[:limit]:
            totals[place] = total(each[place] for each in (page, fresh) if place in each)
    return totals, are_cut


def means(tx: Tx, *, namespace: str, span_ms: int, since: int) -> dict[str, int]:
    """Return the average duration of each job's runs, in milliseconds."""
    mark = tx.all("counted_until")[0]
    busy: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    for row in tx.all("read_means", namespace=namespace, span_ms=span_ms, since=since):
        busy[row["job"]] += int(row["busy_ms"])
        ended[row["job"]] += int(row["ended"])
    for place, each in _rest(tx, mark, since=since, namespace=namespace).items():
        busy[place.job] += each.busy_ms
        ended[place.job] += each.ended
    return {job: busy[job] // runs for job, runs in ended.items() if runs}


def _rest(tx: Tx, mark: Row, *, since: int, namespace: str) -> Statistics:
    """Count what was not counted yet, by minutes."""
    until = mark["now"] - FIRST_MS if mark["until"] is None else mark["until"]
    return count(tx, since=max(since, until), until=1 << 50, namespace=namespace)


def total(some: Iterable[Statistic]) -> Statistic:
    """Return the sum of statistics."""
    parts = list(some)
    sums: dict[str, Any] = {name: sum(getattr(each, name) for each in parts) for name in _SUMS}
    spreads: dict[str, Any] = {
        name: added(getattr(each, name) for each in parts) for name in _SPREADS
    }
    return Statistic(**sums, **spreads)


def prune_statistics(tx: Tx, *, limit: int) -> int:
    """Forget minutes after two days, hours after thirty."""
    return sum(
        tx.execute("prune_statistics", span_ms=span_ms, keep_ms=keep_ms, limit=limit)
        for span_ms, keep_ms in KEEP.items()
    )


def _minute(row: Row) -> StatisticKey:
    return StatisticKey(row["namespace"], MINUTE_MS, row["at"], row["job"], row["queue"])


def _place(row: Row) -> StatisticKey:
    return StatisticKey(row["namespace"], row["span_ms"], row["at"], row["job"], row["queue"])


def _read(text: str) -> dict[int, int]:
    """Return a spread; empty if it cannot be read: one row must not stop all others."""
    try:
        return read_text(_spread, text, "a statistic")
    except BadInput as error:
        set_aside("a statistic", error)
        return {}


def _statistic(row: Row) -> Statistic:
    sums: dict[str, Any] = {name: row[name] for name in _SUMS}
    spreads: dict[str, Any] = {name: _read(row[name]) for name in _SPREADS}
    return Statistic(**sums, **spreads)


def _row(place: StatisticKey, each: Statistic) -> dict[str, Any]:
    sums = {name: getattr(each, name) for name in _SUMS}
    return place._asdict() | sums | {name: json.dumps(getattr(each, name)) for name in _SPREADS}


_SPREADS = ("durations", "waits", "lags")
_SUMS = tuple(name for name in Statistic.__struct_fields__ if name not in _SPREADS)
