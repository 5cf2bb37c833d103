"""Deadlines: the instant by which a run has to have ended.

A deadline is a duration after the time that a run is for, as `2h`, or the next wall time at or
after it, as `07:00 Europe/Paris`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import msgspec

from rota.errors import BadDuration, BadOption
from rota.model.runs.run import Origin, RunView
from rota.model.view import plain_text
from rota.rules.schedules.zones import zone as find_zone
from rota.rules.text.checks import positive_ms
from rota.rules.text.duration import format_duration, parse_duration
from rota.rules.text.moments import read_time, resolve

_WALL = re.compile(r"(\d{1,2}:\d{2}(?::\d{2})?)(?: +(\S.*))?")
_DAYS = range(-1, 4)
"""The days around an instant among which its next wall time is; a zone may leave one out."""
_origin = msgspec.json.Decoder(Origin)


def read_deadline(field: str, value: Any) -> str:
    """Return a deadline as written; BadOption for a text that is neither duration nor wall time."""
    if isinstance(value, str) and (wall := _WALL.fullmatch(value.strip())):
        read_time(field, wall[1])
        if wall[2] is not None:
            find_zone(wall[2].strip())
        return value.strip()
    try:
        ms = positive_ms(field, value)
    except BadDuration as error:
        raise BadOption(
            f"{field}={value!r:.64} is not a deadline; write a time after the start such as 2h, or "
            'a time of day such as "07:00 Europe/Paris"'
        ) from error
    return value if isinstance(value, str) else format_duration(ms)


def deadline_at(text: str, base: int, *, zone: str = "UTC") -> int:
    """Return the deadline of a run for the instant `base`; `zone` is for a time without one.

    Of a wall time that comes twice the first counts, and one that does not exist is the first
    instant after the gap.
    """
    wall = _WALL.fullmatch(text)
    if wall is None:
        return base + parse_duration(text)
    where = find_zone(zone if wall[2] is None else wall[2].strip())
    at, today = read_time("deadline", wall[1]), where.wall(base).date()
    instants = (
        resolve(
            datetime.combine(today + timedelta(days=day), at), zone=where, gap="next", fold="first"
        )[0]
        for day in _DAYS
    )
    return min(each for each in instants if each >= base)


def run_deadline(run: RunView, of_job: str | None) -> int | None:
    """Return when a run has to have ended; None for one without a deadline.

    The deadline of its schedule is in its origin and counts instead of that of its job. A backfill
    has none, and neither has a rerun that was asked for afterwards.
    """
    text = plain_text(run.origin)
    origin = None if text is None else _origin.decode(text)
    if origin is not None and origin.kind == "backfill":
        return None
    if origin is not None and origin.deadline is not None and run.parent_id is None:
        at = origin.deadline
    elif of_job is not None:
        base = run.due_at.ms if origin is None else origin.scheduled_for
        at = deadline_at(of_job, base)
    else:
        return None
    return None if run.rerun_of is not None and run.created_at.ms > at else at
