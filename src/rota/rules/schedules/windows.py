"""Maintenance windows (`blackouts` in Python and on the command line): the fate of firings inside.

`skip` wins over `defer`, and `defer` over `drain`: a window that forbids firings wins over one that
only delays them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, get_args

import msgspec

from rota.errors import BadDuration, BadOption
from rota.model.schedules.definitions import Blackout, BlackoutKind, Every
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.trigger_options import read_trigger
from rota.rules.schedules.triggers import compile_trigger
from rota.rules.schedules.zones import zone
from rota.rules.text.checks import one_of
from rota.rules.text.duration import parse_duration
from rota.rules.text.moments import read_bound

MAX_JOINED = 1_000
"""Adjoining windows up to this number are followed; more count as one without an end."""
_STRICTEST_FIRST: tuple[BlackoutKind, ...] = ("skip", "defer", "drain")


class WindowDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision on a firing, or on a run that could be claimed."""

    act: Literal["start", "skip", "defer", "drain"]
    until: int | None = None
    """For defer the instant to start at, for drain the one until which nothing is claimed."""
    note: str = ""
    """The note of the window."""


START = WindowDecision(act="start")


class SingleWindow:
    """One window, its end excluded."""

    def __init__(self, start: int, end: int) -> None:
        self._start = start
        self._end = end

    def end_at(self, at: int) -> int | None:
        """Return the end of the window around an instant; None outside."""
        return self._end if self._start <= at < self._end else None

    def span_from(self, at: int) -> tuple[int, int] | None:
        """Return the window around an instant, or else the next; None if there will be none."""
        return (self._start, self._end) if at < self._end else None


class Recurring:
    """A window of fixed length from each firing on; adjoining windows are one."""

    def __init__(self, starts: Timetable, length: int) -> None:
        self._starts = starts
        self._length = length

    def end_at(self, at: int) -> int | None:
        """Return the end of the window around an instant, where no other window adjoins."""
        start = self._starts.after(at - self._length)
        if start is None or start > at:
            return None
        return self.chain(start)[0]

    def span_from(self, at: int) -> tuple[int, int] | None:
        """Return the window around an instant, or else the next; None if there will be none."""
        start = self._starts.after(at - self._length)
        return None if start is None else (start, self.chain(start)[0])

    def chain(self, start: int) -> tuple[int, bool]:
        """Return where adjoining windows end, and whether they continue beyond the limit."""
        for _ in range(MAX_JOINED):
            following = self._starts.after(start)
            if following is None or following > start + self._length:
                return start + self._length, False
            start = following
        return start + self._length, True


@lru_cache(maxsize=1_024)
def compile_blackout(blackout: Blackout) -> SingleWindow | Recurring:
    """Compile a window; BadInput says what is wrong with it."""
    one_of("blackout: kind", blackout.kind, get_args(BlackoutKind))
    is_once = blackout.start is not None or blackout.end is not None
    is_recurring = blackout.trigger is not None or blackout.duration is not None
    if is_once and is_recurring:
        raise BadOption("blackout: give start and end, or trigger and duration; not both")
    return _once(blackout) if is_once else _recurring(blackout)


def is_over(blackout: Blackout, now: int) -> bool:
    """Whether the window is over for good."""
    window = compile_blackout(blackout)
    if window.end_at(now) is not None:
        return False
    if blackout.trigger is not None:
        return compile_trigger(blackout.trigger, zone=blackout.zone).after(now) is None
    return read_bound("start", blackout.start or "", zone(blackout.zone)) <= now


def verdict(blackouts: Iterable[Blackout], *, job: str, queue: str, at: int) -> WindowDecision:
    """Decide the fate of a firing of the job at an instant, or of a run of it.

    A deferred firing moves to the first instant outside all windows that defer; if that lies in one
    that skips, it is skipped.
    """
    concerned = [each for each in blackouts if _concerns(each, job, queue)]
    strictest = _at(concerned, at)
    if strictest.act != "defer":
        return strictest
    note, until = strictest.note, strictest.until
    for _ in range(MAX_JOINED):
        following = START if until is None else _at(concerned, until)
        if following.act == "skip":
            return following
        if following.act != "defer":
            return WindowDecision(act="defer", until=until, note=note)
        until = following.until
    return WindowDecision(act="skip", note=note)


def _concerns(blackout: Blackout, job: str, queue: str) -> bool:
    return blackout.job in {None, job} and blackout.queue in {None, queue}


def _at(blackouts: Iterable[Blackout], at: int) -> WindowDecision:
    """Return the strictest window around an instant; of equals, the one that ends last."""
    inside = [
        (each, end) for each in blackouts if (end := compile_blackout(each).end_at(at)) is not None
    ]
    for kind in _STRICTEST_FIRST:
        ends = [(end, each.note) for each, end in inside if each.kind == kind]
        if ends:
            until, note = max(ends)
            return WindowDecision(act=kind, until=None if kind == "skip" else until, note=note)
    return START


def _once(blackout: Blackout) -> SingleWindow:
    if blackout.start is None or blackout.end is None:
        raise BadOption("blackout: start= and end= belong together; give both")
    where = zone(blackout.zone)
    start = read_bound("blackout: start", blackout.start, where)
    end = read_bound("blackout: end", blackout.end, where)
    if end <= start:
        raise BadOption(f"blackout: end={blackout.end!r} is not after start={blackout.start!r}")
    return SingleWindow(start, end)


def _recurring(blackout: Blackout) -> Recurring:
    if blackout.trigger is None or blackout.duration is None:
        raise BadOption("blackout: give start= and end=, or trigger= and duration=")
    try:
        length = parse_duration(blackout.duration)
    except BadDuration as error:
        raise BadDuration(f"blackout: duration: {error}") from error
    if length == 0:
        raise BadOption("blackout: duration=0 is not a window")
    if isinstance(blackout.trigger, Every) and blackout.trigger.from_end:
        raise BadOption("blackout: from_end counts from runs, and a window has none")
    starts = compile_trigger(blackout.trigger, zone=blackout.zone)
    first = starts.after(-1)
    if first is None:
        raise BadOption("blackout: the trigger never fires, so there is no window")
    window = Recurring(starts, length)
    if window.chain(first)[1]:
        raise BadOption(
            f"blackout: with duration={blackout.duration!r} one window begins before the other "
            "ends, and so on without end; pause the job or the queue instead"
        )
    return window


def read_blackout(fields: Mapping[str, Any]) -> Blackout:
    """Build a window from its fields; None means unset, and a trigger may be a text."""
    values = {name: value for name, value in fields.items() if value is not None}
    if "trigger" in values:
        values["trigger"] = msgspec.to_builtins(read_trigger(values["trigger"], field="trigger"))
    try:
        return msgspec.convert(values, type=Blackout)
    except msgspec.ValidationError as error:
        raise BadOption(f"blackout: {error}") from error
