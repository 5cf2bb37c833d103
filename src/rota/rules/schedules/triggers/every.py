"""Intervals of real time, unaffected by clock changes."""

from __future__ import annotations

from typing import Any

from rota.errors import BadDuration, BadOption
from rota.model.schedules.definitions import Every
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.zones import Zone
from rota.rules.text.duration import parse_duration
from rota.rules.text.moments import LATEST_MS, read_bound


class Steps:
    """Fires at an anchor and at each multiple of the step after it."""

    def __init__(self, anchor: int, every: int, last: int = LATEST_MS) -> None:
        self._anchor = anchor
        self._every = every
        self._last = last

    def after(self, instant: int) -> int | None:
        if instant < self._anchor:
            following = self._anchor
        else:
            steps = (instant - self._anchor) // self._every
            following = self._anchor + (steps + 1) * self._every
        return following if following <= self._last else None

    def count(self, after: int, until: int) -> int:
        """Count by division alone."""
        return max(0, self._steps_until(min(until, self._last)) - self._steps_until(after))

    def _steps_until(self, instant: int) -> int:
        """Return how many firings there were up to this instant."""
        return max(0, (instant - self._anchor) // self._every + 1)

    def marks(self, instant: int) -> tuple[str, ...]:
        del instant  # real time knows no shifts
        return ()


class FromEnd:
    """Fires one step after the given instant, which is the end of the previous run.

    Before `start`, the first firing is at `start` itself.
    """

    def __init__(self, every: int, start: int | None) -> None:
        self._every = every
        self._start = start

    def after(self, instant: int) -> int | None:
        if self._start is not None and instant < self._start:
            return self._start
        following = instant + self._every
        return following if following <= LATEST_MS else None

    def marks(self, instant: int) -> tuple[str, ...]:
        del instant  # real time knows no shifts
        return ()


def compile_every(trigger: Every, *, zone: Zone, start: int | None) -> Timetable:
    """Compile the interval; zero is refused. `start` matters only if it counts from the end."""
    every = read_every(trigger.every)
    if trigger.from_end:
        if trigger.anchor is not None:
            raise BadOption("anchor= and from_end= both say what every= counts from; give one")
        return FromEnd(every, start)
    anchor = 0 if trigger.anchor is None else read_bound("anchor", trigger.anchor, zone)
    return Steps(anchor, every)


def read_every(text: Any) -> int:
    """Return the milliseconds of the interval, at least one."""
    try:
        every = parse_duration(text)
    except BadDuration as error:
        raise BadDuration(f"every: {error}") from error
    if every == 0:
        raise BadOption(f"every={text!r:.64} is zero; give at least 1ms")
    return every
