"""Times for people: `3s ago`, `in 10m`, `250 ms`."""

from __future__ import annotations

from datetime import datetime

from rota.clock import Moment
from rota.errors import BadOption
from rota.rules.text.duration import UNIT_MS, format_duration

_COARSE = ("d", "h", "m", "s")


def ago(then_ms: int | None, now_ms: int) -> str:
    """Return how far a moment is from now, in its largest unit."""
    if then_ms is None:
        return ""
    past_ms = now_ms - then_ms
    return f"{coarse(past_ms)} ago" if past_ms >= 0 else f"in {coarse(-past_ms)}"


def since(then: Moment | None, now_ms: int) -> str:
    """Return how far an instant is from now, in its largest unit."""
    return ago(None if then is None else then.ms, now_ms)


def lasted(start: Moment | None, end: Moment | None) -> str:
    """Return how long something lasted, exactly below a minute."""
    return "" if start is None or end is None else took(start.ms, end.ms)


def coarse(ms: int) -> str:
    """Return two leading units at most: `3d 4h`, `12s`, `250 ms`."""
    for unit, finer in zip(_COARSE, (*_COARSE[1:], None), strict=True):
        if ms >= UNIT_MS[unit]:
            step = UNIT_MS[finer] if finer else UNIT_MS[unit]
            return format_duration(ms // step * step)
    return format_duration(ms)


def took(start_ms: int | None, end_ms: int | None) -> str:
    """Return how long something lasted, exactly below a minute."""
    if start_ms is None or end_ms is None:
        return ""
    ms = max(0, end_ms - start_ms)
    if ms < UNIT_MS["s"]:
        return f"{ms} ms"
    return f"{ms / 1000:.1f} s" if ms < UNIT_MS["m"] else coarse(ms)


def instant(flag: str, text: str | None) -> datetime | None:
    """Parse a moment with its zone."""
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadOption(f"{flag} {text}: {error}; write 2026-12-01T08:00:00+01:00") from error
    if when.tzinfo is None:
        whole = when.isoformat()
        raise BadOption(f"{flag} {text}: add the zone, such as {whole}Z or {whole}+01:00")
    return when
