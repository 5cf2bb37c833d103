"""iCalendar recurrence rules as text: read into checked parts.

FREQ=MONTHLY;BYDAY=-1FR
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20261231T230000Z
EXDATE:20261225T180000,20270101T180000
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TypeVar

from rota.errors import BadOption
from rota.rules.schedules.zones import Zone, local_ms
from rota.rules.text.checks import hint
from rota.rules.text.moments import LATEST

MAX_CHARS = 4_096
MAX_COUNT = 10_000
MAX_INTERVAL = 100_000
MAX_PER_DAY = 1_440

FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY")
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NUMBERS = {
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYYEARDAY": (-366, 366),
    "BYWEEKNO": (-53, 53),
    "BYSETPOS": (-366, 366),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSECOND": (0, 59),
}
Value = TypeVar("Value")
_PARTS = ("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_NUMBERS)
_WEEKDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_STAMP = re.compile(r"([0-9]{8})(?:T([0-9]{6})(Z)?)?")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The parts of a rule; a part that is not given is an empty list."""

    freq: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    """The last wall time of a firing."""
    week_start: int = 0
    weekdays: tuple[tuple[int, int], ...] = ()
    """Pairs of weekday and its place in the period; 0 for all of them."""
    numbers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    off: frozenset[datetime] = frozenset()
    off_days: frozenset[date] = frozenset()

    @property
    def has_by(self) -> bool:
        """Whether a BY part restricts the rule."""
        return bool(self.weekdays or self.numbers)

    def with_parts(
        self, weekdays: tuple[tuple[int, int], ...], numbers: Mapping[str, tuple[int, ...]]
    ) -> Rule:
        """Return a copy of the rule with other BY parts."""
        return replace(self, weekdays=weekdays, numbers=numbers)


def read_rule(text: object, zone: Zone) -> Rule:
    """Parse a rule and its exceptions; BadOption names the part that is wrong."""
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_CHARS:
        raise BadOption(f"rrule is a text of 1 to {MAX_CHARS:,} characters such as FREQ=DAILY")
    rules: list[str] = []
    off: list[str] = []
    for line in text.split():
        name, colon, value = line.rpartition(":")
        kind = name.partition(";")[0].upper()
        if not colon or kind == "RRULE":
            rules.append(value)
        elif kind == "EXDATE":
            off += value.split(",")
        else:
            raise BadOption(f"rrule: {line!r:.64} is neither RRULE nor EXDATE.{_line_hint(kind)}")
    if len(rules) != 1:
        raise BadOption(f"rrule has {len(rules)} rules; give one, and join several with any_of")
    stamps = [_stamp("EXDATE", value, zone) for value in off]
    return _rule(
        _parts(rules[0]),
        zone,
        off=frozenset(wall for wall, is_day in stamps if not is_day),
        off_days=frozenset(wall.date() for wall, is_day in stamps if is_day),
    )


def _line_hint(kind: str) -> str:
    return {
        "DTSTART": " Give it as start, without an offset.",
        "RDATE": " Join single times with any_of and at.",
        "EXRULE": " Leave out the instants of another trigger with unless.",
    }.get(kind, "")


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.upper().strip(";").split(";"):
        name, _, value = part.partition("=")
        if name not in _PARTS:
            raise BadOption(f"rrule has no part {name!r:.40}.{hint(name, _PARTS)}")
        if not value or name in parts:
            raise BadOption(f"rrule: {name} is {'given twice' if value else 'empty'}")
        parts[name] = value
    return parts


def _rule(
    parts: Mapping[str, str], zone: Zone, *, off: frozenset[datetime], off_days: frozenset[date]
) -> Rule:
    freq = parts.get("FREQ", "")
    if freq not in FREQUENCIES:
        raise BadOption(f"rrule: FREQ={freq!r:.40} is not one of {', '.join(FREQUENCIES)}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise BadOption("rrule: COUNT and UNTIL both say when it ends; give one of them")
    rule = Rule(
        freq=freq,
        interval=_number("INTERVAL", parts.get("INTERVAL", "1"), 1, MAX_INTERVAL),
        count=_number("COUNT", parts["COUNT"], 1, MAX_COUNT) if "COUNT" in parts else None,
        until=_until(parts["UNTIL"], zone) if "UNTIL" in parts else None,
        week_start=_week_start(parts.get("WKST", "MO")),
        weekdays=_each(parts.get("BYDAY", ""), lambda value: _weekday(value, freq)),
        numbers={name: _each(parts[name], _reader(name)) for name in _NUMBERS if name in parts},
        off=off,
        off_days=off_days,
    )
    _check_together(rule)
    return rule


def _check_together(rule: Rule) -> None:
    if "BYSETPOS" in rule.numbers and len(rule.numbers) == 1 and not rule.weekdays:
        raise BadOption("rrule: BYSETPOS chooses among the days of another BY part; give one")
    if "BYWEEKNO" in rule.numbers and rule.freq != "YEARLY":
        raise BadOption("rrule: BYWEEKNO goes with FREQ=YEARLY only")
    each_day = 1
    for name in ("BYHOUR", "BYMINUTE", "BYSECOND"):
        each_day *= len(set(rule.numbers.get(name, (0,))))
    if each_day > MAX_PER_DAY:
        raise BadOption(
            f"rrule: BYHOUR, BYMINUTE and BYSECOND make {each_day:,} firings a day, more than "
            f"{MAX_PER_DAY:,}; use every or cron"
        )


def _each(text: str, read: Callable[[str], Value]) -> tuple[Value, ...]:
    return tuple(read(value) for value in text.split(",")) if text else ()


def _reader(name: str) -> Callable[[str], int]:
    low, high = _NUMBERS[name]

    def read(value: str) -> int:
        number = _number(name, value, low, high)
        if number == 0 and low < 0:
            raise BadOption(f"rrule: {name} counts from 1, or from -1 for the last; not from 0")
        return number

    return read


def _number(name: str, text: str, low: int, high: int) -> int:
    number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,9}", text, re.ASCII) else None
    if number is None or not low <= number <= high:
        raise BadOption(f"rrule: {name}={text!r:.40} is not a number from {low} to {high:,}")
    return number


def _weekday(text: str, freq: str) -> tuple[int, int]:
    found = _WEEKDAY.fullmatch(text)
    if found is None or found[1] in {"0", "+0", "-0", "00"}:
        raise BadOption(f"rrule: BYDAY={text!r:.40} is not a day such as MO, 2TU or -1FR")
    if found[1] and freq not in {"YEARLY", "MONTHLY"}:
        raise BadOption(f"rrule: BYDAY={text} counts days in a month or a year, not {freq}")
    return WEEKDAYS.index(found[2]), int(found[1] or 0)


def _week_start(text: str) -> int:
    if text not in WEEKDAYS:
        raise BadOption(f"rrule: WKST={text!r:.40} is not one of {', '.join(WEEKDAYS)}")
    return WEEKDAYS.index(text)


def _until(text: str, zone: Zone) -> datetime:
    wall, is_day = _stamp("UNTIL", text, zone)
    return wall.replace(hour=23, minute=59, second=59) if is_day else wall


def _stamp(name: str, text: str, zone: Zone) -> tuple[datetime, bool]:
    """Return the wall time, and whether only a day was given. A `Z` makes it an instant."""
    found = _STAMP.fullmatch(text)
    try:
        wall = (
            None if found is None else datetime.fromisoformat(f"{found[1]}T{found[2] or '000000'}")
        )
    except ValueError:
        wall = None
    if found is None or wall is None:
        raise BadOption(f"rrule: {name}={text!r:.40} is not a time such as 20261231T230000")
    if found[3]:
        wall = zone.wall(local_ms(wall.replace(tzinfo=UTC)))
    return min(wall, LATEST), found[2] is None
