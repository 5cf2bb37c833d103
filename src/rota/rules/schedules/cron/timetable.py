"""Firings of a cron line in a zone: its wall times, and the effect of clock shifts on them.

A zone is a row of spans with one offset each, and within a span there is nothing to decide. Only
between two spans do the clocks jump over wall times (a gap) or show them again (a fold). The
policies for these are:

gap    `next` fires once, at the first instant after the gap; `skip` does not; `same` fires as if
the clocks had not been put forward yet.
fold   `first`, `second` or `both` of the two instants.

`cron` chooses as cron(8) does: a line whose minute or hour field starts with `*` follows real time
(`skip`, `both`), every other line means a time of day (`next`, `first`). The field of the seconds
does not matter: a line at 02:30 every ten seconds still means half past two. cron(8) treats a shift
of three hours or more as a correction of the clock. Here the size does not matter, so nothing is
lost on the day that Apia left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from rota.model.schedules.definitions import Cron, Fold, Gap
from rota.rules.schedules.cron.line import DAY_S, CronLine, Interval, WallClock
from rota.rules.schedules.cron.parse import parse_cron
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.zones import Zone

GapRule = Literal["next", "skip", "same"]
FoldRule = Literal["first", "second", "both"]
_EVER = 1 << 60
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_NEAR_S = 2 * DAY_S
"""No zone ever shifted by more than a day."""


def compile_cron(
    cron: Cron, *, zone: Zone, gap: Gap = "cron", fold: Fold = "cron", seed: str = ""
) -> Timetable:
    """Return the timetable of a line, cached by its inputs. BadCron if it cannot be parsed.

    `seed` decides the values of `H`; schedules pass their name.
    """
    return _compile(cron, zone, gap, fold, seed)


@lru_cache(maxsize=16_384)
def _compile(cron: Cron, zone: Zone, gap: Gap, fold: Fold, seed: str) -> Timetable:
    return _timetable(parse_cron(cron, seed=seed), zone, gap, fold)


@lru_cache(maxsize=16_384)
def _timetable(parsed: CronLine | Interval, zone: Zone, gap: Gap, fold: Fold) -> Timetable:
    """Return the timetable that equivalent lines share, whatever the seed if they have no `H`."""
    if isinstance(parsed, Interval):
        return IntervalTimetable(parsed.every_ms)
    gap_rule: GapRule = ("skip" if parsed.is_wildcard else "next") if gap == "cron" else gap
    fold_rule: FoldRule = ("both" if parsed.is_wildcard else "first") if fold == "cron" else fold
    return CronTimetable(WallClock(parsed), zone, gap_rule, _spans(zone, fold_rule))


@dataclass(frozen=True, slots=True)
class OffsetSpan:
    """A period with one offset; all values are in seconds."""

    start: int
    low: int
    """The start of possible firings: later than `start` where a fold counts only once."""
    high: int
    """The exclusive end of them: earlier than the end where a fold counts only the second time."""
    end: int
    offset: int
    before: int
    """The offset before `start`."""
    quiet: int
    """From here until `high`, the shift before has no influence any more."""


class OffsetSpans:
    """All spans of a zone for one rule of folds."""

    __slots__ = ("all", "starts")

    def __init__(self, zone: Zone, fold: FoldRule) -> None:
        self.starts = [start // 1_000 for start in zone.starts]
        offsets = [offset // 1_000 for offset in zone.offsets]
        edges = [-_EVER, *self.starts, _EVER]
        around = [offsets[0], *offsets, offsets[-1]]
        self.all = [
            _span(fold, *edges[place : place + 2], *around[place : place + 3])
            for place in range(len(offsets))
        ]

    def at(self, at: int) -> OffsetSpan:
        return self.all[bisect_right(self.starts, at)]


def _span(fold: FoldRule, start: int, end: int, before: int, offset: int, after: int) -> OffsetSpan:
    behind = max(0, before - offset) if fold == "first" else 0
    ahead = max(0, offset - after) if fold == "second" else 0
    quiet = start + max(1, abs(offset - before))
    return OffsetSpan(start, start + behind, end - ahead, end, offset, before, quiet)


_spans = lru_cache(maxsize=2_048)(OffsetSpans)


class CronTimetable:
    """Answers from the day of its last answer, else from the span; near shifts it searches."""

    __slots__ = ("_clock", "_gap", "_same_day", "_spans", "_times", "_zone")

    def __init__(self, clock: WallClock, zone: Zone, gap: GapRule, spans: OffsetSpans) -> None:
        self._clock = clock
        self._zone = zone
        self._gap = gap
        self._spans = spans
        self._times = clock.times
        self._same_day = (0, 0, 0)

    @property
    def times(self) -> Sequence[int]:
        """Return the seconds of the day at which it fires, on a day on which it does."""
        return self._times

    def after(self, instant: int) -> int | None:
        """Return the first firing strictly later; none is before 1970 or after the last year."""
        at = instant // 1_000
        low, high, midnight = self._same_day
        if low <= at < high:
            return (midnight + self._times[bisect_right(self._times, at - midnight)]) * 1_000
        next_instant = self._search(max(at + 1, 0))
        if next_instant is None:
            return None
        self._remember(at, next_instant)
        return next_instant * 1_000

    def count(self, after: int, until: int) -> int:
        """Count firings day by day where no shift interferes, else one by one."""
        total, end = 0, until // 1_000
        instant = self.after(after)
        while instant is not None and instant <= until:
            total += 1
            at = instant // 1_000
            low, high, midnight = self._same_day
            if low <= at < high:
                here = bisect_right(self._times, at - midnight)
                last = bisect_right(self._times, min(end, high) - midnight)
                total += last - here
                instant = (midnight + self._times[last - 1]) * 1_000
            instant = self.after(instant)
        return total

    def _remember(self, at: int, instant: int) -> None:
        """Cache the day of the answer if no shift affects it, because its times are known."""
        span = self._spans.at(instant)
        midnight = instant - (instant + span.offset) % DAY_S
        first, last = midnight + self._times[0], midnight + self._times[-1]
        if instant >= span.quiet and first >= span.quiet and last < span.high:
            self._same_day = (min(at, first), last, midnight)

    def _search(self, at: int) -> int | None:
        spans = self._spans
        place = bisect_right(spans.starts, at)
        while True:
            span = spans.all[place]
            local = self._clock.next(max(at, span.low) + span.offset)
            instant = None if local is None else local - span.offset
            if instant is not None and instant >= span.high:
                instant = None
            if at < span.quiet:
                instant = _earlier(instant, self._move(span, at))
            if instant is not None:
                return instant
            place += 1
            if span.end - at > _NEAR_S:
                if local is None:
                    return None
                # Nothing until then, and the next shift is too far away to bring anything back.
                place = max(place, bisect_right(spans.starts, local - _NEAR_S))
            at = max(at, spans.all[place].start)

    def _move(self, span: OffsetSpan, at: int) -> int | None:
        """Return the first firing for a wall time that was skipped as this span began."""
        if self._gap == "skip" or span.offset <= span.before:
            return None
        size = span.offset - span.before
        if at > span.start and (self._gap == "next" or at >= span.start + size):
            return None
        local = self._clock.next(max(at, span.start) + span.before)
        if local is None or local >= span.start + span.offset:
            return None
        return span.start if self._gap == "next" else local - span.before

    def marks(self, instant: int) -> tuple[str, ...]:
        """Return notes on how a shift affects this firing; empty for any other instant."""
        if self.after(instant - 1) != instant:
            return ()
        at = instant // 1_000
        span = self._spans.at(at)
        local = at + span.offset
        is_plain = at >= span.low and self._clock.next(local) == local
        marks = []
        if self._move(span, at) == at:
            missing = self._clock.next(at + span.before)
            shown = _shown(local if missing is None else missing, beside=local)
            word = "also for" if is_plain else "moved from"
            marks.append(f"{word} {shown}, which does not exist")
        if is_plain and (which := self._which(span, at)):
            marks.append(f"{_shown(local, beside=local)} comes twice; this is the {which}")
        return tuple(marks)

    def _which(self, span: OffsetSpan, at: int) -> str | None:
        if at < span.start + span.before - span.offset:
            return "second"
        following = self._zone.offset(span.end * 1_000) // 1_000
        return "first" if at >= span.end - (span.offset - following) else None


class IntervalTimetable:
    """Fires at multiples of `@every` (kubernetes dialect) since the Unix epoch."""

    __slots__ = ("_every",)

    def __init__(self, every_ms: int) -> None:
        self._every = every_ms

    def after(self, instant: int) -> int | None:
        return (max(instant, -1) // self._every + 1) * self._every

    def marks(self, instant: int) -> tuple[str, ...]:
        del instant  # real time knows no shifts
        return ()


def _earlier(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _shown(local: int, *, beside: int) -> str:
    """Return a short wall time: with its date only if that differs from the date of `beside`."""
    day, second = divmod(local, DAY_S)
    clock = f"{second // 3_600:02}:{second // 60 % 60:02}"
    if second % 60:
        clock += f":{second % 60:02}"
    if day == beside // DAY_S:
        return clock
    return f"{date.fromordinal(day + _EPOCH_DAY).isoformat()} {clock}"
