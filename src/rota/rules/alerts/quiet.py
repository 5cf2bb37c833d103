"""Quiet hours: the part of each day in which only critical alerts are sent."""

from __future__ import annotations

import re
from datetime import time

from rota.errors import BadOption
from rota.model.alerts.rule import QuietHours
from rota.rules.schedules.zones import zone

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def is_quiet(quiet: QuietHours | None, now_ms: int) -> bool:
    """Whether this moment is in the quiet hours; `begin` is in them, `end` is not."""
    if quiet is None:
        return False
    local = zone(quiet.zone).wall(now_ms).time()
    begin, end = read_time("begin", quiet.begin), read_time("end", quiet.end)
    if begin < end:
        return begin <= local < end
    return local >= begin or local < end


def read_time(field: str, text: str) -> time:
    """Return the time of day; BadOption unless it is one, such as 22:00."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise BadOption(f"quiet: {field}={text!r:.20} is not a time of day, such as 22:00")
    return time(int(match[1]), int(match[2]))


def check_quiet(quiet: QuietHours | None) -> None:
    """BadOption for hours that cannot be."""
    if quiet is None:
        return
    if read_time("begin", quiet.begin) == read_time("end", quiet.end):
        raise BadOption("quiet: `begin` and `end` are the same time; give two times, or no `quiet`")
    zone(quiet.zone)
