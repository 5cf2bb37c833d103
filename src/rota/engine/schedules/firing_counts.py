"""Firing counts: how often schedules will fire in each coming span, without listing firings.

Equal schedules are counted once for all of them, and a rule that can be counted is not walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import msgspec

from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.upcoming import StoredPlan, planned
from rota.rules.schedules.timetable import Countable, Timetable, firings
from rota.rules.schedules.triggers.every import Steps
from rota.store.base import Tx

MOST = 100_000
"""The most counting steps: spans in which a rule fires, and firings of walked rules."""


class EqualSchedules(msgspec.Struct, kw_only=True):
    """Schedules that fire at the same instants."""

    table: Timetable
    counter: Callable[[int, int], int] | None
    """The function that counts without walking, if the table has one."""
    at: int | None
    """The next firing."""
    left: int | None
    """How often each schedule may still fire; None for no limit."""
    jobs: list[str] = []
    """The jobs that they start, one for each schedule."""
    counts: dict[int, int] = {}
    """The firings of one of these schedules, by the number of the span."""

    def take(self, number: int, until: int, most: int) -> int:
        """Count the firings up to `until` and advance past it; return the steps this took."""
        after = until if self.at is None else self.at - 1
        if self.counter is None:
            steps = firings_counted = sum(
                1 for _ in islice(firings(self.table, after, until), most)
            )
        else:
            steps, firings_counted = 1, self.counter(after, until)
        if self.left is not None:
            firings_counted = min(firings_counted, self.left)
            self.left -= firings_counted
        self.counts[number] = firings_counted
        self.at = None if self.left == 0 else self.table.after(until)
        return steps


class TimeBuckets(msgspec.Struct, frozen=True, kw_only=True):
    """Consecutive stretches of time."""

    first: int
    span_ms: int
    count: int

    def number(self, at: int) -> int:
        return (at - self.first) // self.span_ms

    def last(self, number: int) -> int:
        """The last instant of a span."""
        return self.first + (number + 1) * self.span_ms - 1


class FiringCounts(msgspec.Struct, frozen=True):
    """Counts by span; if they were cut, the counts of later spans are unknown."""

    groups: list[EqualSchedules]
    is_cut: bool

    @property
    def firings(self) -> int:
        return sum(sum(each.counts.values()) * len(each.jobs) for each in self.groups)


def count_ahead(
    tx: Tx, *, namespace: str, start: int, spans: TimeBuckets, compiled: CompiledSchedules
) -> FiringCounts:
    """Count firings from `start`, or now if that is later, to the end of the last span."""
    end = spans.last(spans.count - 1)
    plans = planned(tx, namespace=namespace, end=end, compiled=compiled)
    groups = _alike(plans.all, start)
    waiting: list[list[EqualSchedules]] = [[] for _ in range(spans.count)]

    def put_off(each: EqualSchedules) -> None:
        if each.at is not None and each.at <= end:
            waiting[spans.number(each.at)].append(each)

    for each in groups:
        put_off(each)
    steps_left = MOST
    for number, due in enumerate(waiting):
        for each in due:
            if steps_left <= 0:
                return FiringCounts(groups, is_cut=True)
            steps_left -= each.take(number, spans.last(number), steps_left + 1)
            put_off(each)
    return FiringCounts(groups, plans.is_cut or steps_left < 0)


def _alike(schedules: Iterable[StoredPlan], start: int) -> list[EqualSchedules]:
    groups: dict[tuple[int, int, int | None], EqualSchedules] = {}
    for each in schedules:
        after, table = each.next_after(start), each.plan.table
        if each.plan.follows_end:
            # The firings after the next run depend on how long that run takes.
            table = Steps(each.row["next_at"], 1, last=each.row["next_at"])
        key = id(each) if each.plan.follows_end else id(table), after, each.left
        if key not in groups:
            groups[key] = EqualSchedules(
                table=table,
                counter=table.count if isinstance(table, Countable) else None,
                at=table.after(after),
                left=each.left,
            )
        groups[key].jobs.append(each.row["job"])
    return list(groups.values())
