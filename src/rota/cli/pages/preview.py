"""The next firings, for `rota schedules preview` and the page of a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from rota.engine.schedules.next_firings import next_firing
from rota.errors import BadOption
from rota.rules.schedules.options import read_schedule
from rota.rules.schedules.preview import preview
from rota.rules.schedules.triggers import compile_schedule
from rota.rules.text.json_keys import check_keys

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.schedules.definitions import Calendar, Schedule
    from rota.model.schedules.firing import NextFiring

COLUMNS = ("at", "in the zone", "day", "remarks")
_CRON_ONLY = "dialect"


def asked_schedule(
    expression: str, options: Mapping[str, Any], calendars: Mapping[str, Calendar] | None = None
) -> Schedule:
    """Return the schedule of a command line; options that are not given keep their defaults.

    `calendars` are the stored ones, which the schedule may name.
    """
    values = {name: value for name, value in options.items() if value is not None}
    definition: object = expression
    if expression.lstrip().startswith("{"):
        definition = _decoded(expression)
    elif _CRON_ONLY in values:
        definition = {"cron": expression, _CRON_ONLY: values[_CRON_ONLY]}
    values.pop(_CRON_ONLY, None)
    return read_schedule(definition, values, calendars=calendars or {})


def _decoded(text: str) -> dict[str, Any]:
    check_keys(text)
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        example = '{"every": "90s"}'
        raise BadOption(
            f"EXPR is not a cron line nor an object such as {example}: {error}"
        ) from None


def coming(  # the window, all named
    schedule: Schedule,
    *,
    seed: str,
    calendars: Mapping[str, Calendar],
    start: int,
    count: int,
    until: int | None = None,
) -> list[NextFiring]:
    """Return the firings from `start` on, that instant included."""
    table = compile_schedule(schedule, seed=seed, calendars=calendars)
    firings = preview(schedule, table, after=start - 1, count=count, until=until)
    return [next_firing(each) for each in firings]


def instant(ms: int) -> str:
    """Return a time for people such as 2026-03-08T07:00:00Z, in UTC; fractions only if present."""
    from rota.clock import to_datetime

    precision = "milliseconds" if ms % 1000 else "seconds"
    return to_datetime(ms).isoformat(timespec=precision).replace("+00:00", "Z")


def firing_rows(firings: Sequence[NextFiring]) -> list[Row]:
    """Return one line for each firing; those that differ from the plain rule stand out."""
    from datetime import datetime

    from rota.cli.output import Cell

    rows: list[Row] = []
    for firing in firings:
        wall = datetime.fromisoformat(firing.wall)
        remarks = "; ".join(firing.marks)
        style = "yellow" if remarks else ""
        rows.append((instant(firing.at.ms), firing.wall, f"{wall:%a}", Cell(remarks, style)))
    return rows
