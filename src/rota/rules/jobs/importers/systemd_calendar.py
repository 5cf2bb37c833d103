"""Convert calendar events and time spans of systemd.time(7) to triggers."""

from __future__ import annotations

import re
from typing import Any

from rota.errors import BadInput
from rota.rules.jobs.importers.days import WEEKDAYS, both_days, numbers
from rota.rules.schedules.zones import zone
from rota.rules.text.duration import format_duration

_SHORT = {
    "minutely": "*-*-* *:*:00",
    "hourly": "*-*-* *:00:00",
    "daily": "*-*-* 00:00:00",
    "monthly": "*-*-01 00:00:00",
    "weekly": "Mon *-*-* 00:00:00",
    "yearly": "*-01-01 00:00:00",
    "annually": "*-01-01 00:00:00",
    "quarterly": "*-01,04,07,10-01 00:00:00",
    "semiannually": "*-01,07-01 00:00:00",
}
_DAYS = {name: at for at, name in enumerate(WEEKDAYS)} | {
    name: at
    for at, name in enumerate(
        ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
    )
}
_UNITS = (
    (("usec", "us"), 0.001),
    (("msec", "ms"), 1),
    (("seconds", "second", "sec", "s"), 1_000),
    (("minutes", "minute", "min", "m"), 60_000),
    (("hours", "hour", "hr", "h"), 3_600_000),
    (("days", "day", "d"), 86_400_000),
    (("weeks", "week", "w"), 7 * 86_400_000),
    (("months", "month", "M"), 30.44 * 86_400_000),
    (("years", "year", "y"), 365.25 * 86_400_000),
)
_MS = {name: ms for names, ms in _UNITS for name in names}
_SPAN = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]*)\s*")
_WEEKDAYS = re.compile(r"([A-Za-z]{3,9}(?:(?:\.\.|,|-)[A-Za-z]{3,9})*),?")
_MAX_CHARS = 200
_LAST_YEAR = 2199
_PIVOT = 70


class NotCalendar(ValueError):
    """The reason why an event cannot be translated."""


def read_event(text: str) -> tuple[dict[str, Any], str | None]:
    """Return the trigger in job-file form, and the zone if the event names one."""
    if len(text) > _MAX_CHARS:
        raise NotCalendar("it is too long")
    words = text.split()
    zone_name = _take_zone(words)
    if len(words) == 1 and words[0].lower() in _SHORT:
        words = _SHORT[words[0].lower()].split()
    if len(words) == 1 and re.fullmatch(r"@[0-9]{1,12}", words[0]):
        raise NotCalendar("a number of seconds since 1970; write it as a time under at:")
    weekdays = None
    if words and (days := _WEEKDAYS.fullmatch(words[0])):
        words.pop(0)
        weekdays = _numbers(days[1].replace("-", ".."), 0, 6, _DAYS)
    date, time = "*-*-*", "00:00:00"
    if words and ("-" in words[0] or "~" in words[0]):
        date = words.pop(0)
    if words and ":" in words[0]:
        time = words.pop(0)
    if words or (weekdays is None and not text.strip()):
        raise NotCalendar(f"{' '.join(words)!r:.60} is neither a date nor a time")
    year, month, day = _date(date)
    return both_days(_time(time), day, month, weekdays, year=year), zone_name


def read_span(text: str) -> int:
    """Return the milliseconds of `1h 30min`, `5 minutes` or `90` (seconds)."""
    at, total = 0, 0.0
    text = text.strip()
    if not text or len(text) > _MAX_CHARS:
        raise NotCalendar(f"{text!r:.60} is not a time span")
    while at < len(text):
        match = _SPAN.match(text, at)
        if not match or (match[2] and match[2] not in _MS):
            raise NotCalendar(f"{text!r:.60} is not a time span")
        total += float(match[1]) * _MS[match[2] or "s"]
        at = match.end()
    return round(total)


def span_text(ms: int) -> str:
    return format_duration(ms).replace(" ms", "ms")


def _take_zone(words: list[str]) -> str | None:
    if not words[1:] or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_+/-]*", words[-1]):
        return None
    try:
        name = zone(words[-1]).name
    except BadInput as error:
        raise NotCalendar(str(error)) from error
    words.pop()
    return name


def _date(text: str) -> tuple[str, str, str]:
    head, tilde, tail = text.partition("~")
    if tilde:
        *rest, month = head.split("-")
        day = _from_end(tail)
    else:
        *rest, month, last = head.split("-")
        day = _written(last, 1, 31)
    if len(rest) > 1:
        raise NotCalendar(f"{text!r:.60} is not a date")
    year = "" if not rest or rest[0] == "*" else _written(_years(rest[0]), 1970, _LAST_YEAR)
    return year, _written(month, 1, 12), day


def _years(text: str) -> str:
    """Expand years of two digits to 1970 to 2069."""
    return re.sub(
        r"(?<![0-9/])([0-9]{1,2})(?![0-9])",
        lambda match: str(int(match[1]) + (2000 if int(match[1]) < _PIVOT else 1900)),
        text,
    )


def _from_end(text: str) -> str:
    """Convert `~1` to the last day of the month, and `~07/1` to each of the last seven."""
    start, slash, step = text.partition("/")
    days = _numbers(start, 1, 31) or []
    if slash:
        if len(days) != 1 or not step.isdecimal() or int(step) == 0:
            raise NotCalendar(f"~{text!r:.40} is no day")
        days = list(range(days[0], 0, -int(step)))
    return ",".join("L" if day == 1 else f"L-{day - 1}" for day in days)


def _time(text: str) -> str:
    hour, minute, *rest = text.split(":")
    if rest[1:]:
        raise NotCalendar(f"{text!r:.60} is not a time of day")
    second = rest[0] if rest else "00"
    if "." in second.replace("..", ""):
        raise NotCalendar("parts of a second")
    written = _written(hour, 0, 23), _written(minute, 0, 59), _written(second, 0, 59)
    return f"{written[2]} {written[1]} {written[0]}"


def _written(text: str, low: int, high: int) -> str:
    """Convert a field to cron: `*`, or a list of numbers; `a/b` counts from a to the end."""
    if text == "*":
        return "*"
    stepped = re.fullmatch(r"\*/([0-9]{1,4})", text)
    if stepped and int(stepped[1]) and low == 0:
        return text
    numbers = _numbers(text, low, high)
    return "*" if numbers is None else ",".join(map(str, numbers))


def _numbers(
    text: str, low: int, high: int, names: dict[str, int] | None = None
) -> list[int] | None:
    try:
        return numbers(text, low, high, names, to="..")
    except ValueError as error:
        raise NotCalendar(str(error)) from error
