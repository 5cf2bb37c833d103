"""The times of a run for arguments, expressions, programs and requests.

Times are texts: an instant with the offset of the schedule's zone (`2026-03-08T02:00:00-05:00`) or
a day of that zone (`2026-03-08`). `day`, `format` and `shift` compute with both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from rota.errors import BadArguments, BadDuration
from rota.model.runs.run import Origin
from rota.rules.text.checks import hint
from rota.rules.text.duration import parse_duration

TIMES = (
    "scheduled_for",
    "scheduled_day",
    "interval_start",
    "interval_start_day",
    "interval_end",
    "interval_end_day",
)
"""The fields that only a run of a schedule has."""
FIELDS = (*TIMES, "schedule", "started_by", "backfill")
"""The names that may follow `run.`."""

MAX_PATTERN = 200
_CODES = frozenset("YymdHMSjGVuaAbBz%")
_CODE = re.compile(r"%(.?)", re.DOTALL)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_WHOLE_DAYS_MS = 86_400_000

_origin = msgspec.json.Decoder(Origin)


@lru_cache(maxsize=1_024)
def run_values(origin: str | None) -> Mapping[str, str | None]:
    """Return the value of each field for a run; `origin` is an Origin as JSON."""
    if origin is None:
        return dict.fromkeys(FIELDS)
    read = _origin.decode(origin)
    values: dict[str, str | None] = {
        "schedule": read.schedule,
        "started_by": read.kind,
        "backfill": read.backfill,
    }
    for name, at in (
        ("scheduled_for", read.scheduled_for),
        ("interval_start", read.interval_start),
        ("interval_end", read.interval_end),
    ):
        text = None if at is None else _instant_text(at, read.zone)
        values[name] = text
        values["scheduled_day" if name == "scheduled_for" else f"{name}_day"] = text and text[:10]
    return values


def run_value(values: Mapping[str, Any], name: str) -> Any:
    """Return a required field; BadArguments for a time that the run does not have."""
    value = values.get(name)
    if value is None and name in TIMES:
        raise BadArguments(
            f"run.{name} is not known: no schedule started this run, or it has no interval; "
            "give the value as an argument, or start it with `rota schedules trigger`"
        )
    return value


def check_field(name: str) -> None:
    """Raise BadArguments if `run.NAME` does not exist."""
    if name not in FIELDS:
        guess = hint(name, FIELDS) or f" It has: {', '.join(FIELDS)}"
        raise BadArguments(f"run has no {name!r:.64}.{guess}")


def day(text: str) -> str:
    """Return the day of an instant, in the zone of its offset; a day is returned unchanged."""
    return _read(text).strftime("%Y-%m-%d")


def format_time(text: str, pattern: str) -> str:
    """Return the time in another form: `format(run.scheduled_for, "%Y/%m/%d")`."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} characters")
    if "\0" in pattern:
        raise ValueError("a pattern has no zero character (\\x00)")
    for code in _CODE.findall(pattern):
        if code not in _CODES or not code:
            raise ValueError(
                f"%{code} is not a code of a pattern; there are %Y %m %d %H %M %S %j %y %G %V %u "
                "%a %A %b %B %z and %%"
            )
    return _read(text).strftime(pattern)


def shift(text: str, by: str) -> str:
    """Return an earlier or later time: `shift(run.scheduled_day, "-1d")`."""
    sign = -1 if by.startswith("-") else 1
    try:
        ms = parse_duration(by.removeprefix("-").removeprefix("+"))
    except BadDuration as error:
        raise ValueError(str(error)) from error
    moment = _read(text)
    is_day = _DAY.fullmatch(text) is not None
    if is_day and ms % _WHOLE_DAYS_MS:
        raise ValueError(f"{by!r:.40} is not a number of whole days, and {text} is a day")
    try:
        moved = moment + timedelta(milliseconds=sign * ms)
    except OverflowError:
        raise ValueError(f"{text} {by:.40} is not in a year of four digits") from None
    return moved.strftime("%Y-%m-%d") if is_day else _short(moved)


FUNCTIONS: Mapping[str, Callable[..., str]] = {"day": day, "format": format_time, "shift": shift}
"""The functions that expressions may call; each takes and returns texts."""
ARITY = {"day": 1, "format": 2, "shift": 2}


def _read(text: str) -> datetime:
    try:
        if _DAY.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), datetime.min.time())
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r:.64} is not a time such as 2026-03-08T02:00:00Z") from None


def _short(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace(".000", "", 1)


def _instant_text(at: int, zone_name: str) -> str:
    from rota.rules.text.moments import wall_text  # noqa: PLC0415  # zones are loaded only for this

    return wall_text(at, zone_name)
