"""Checks of monitors: what is wrong with a definition; and when its next ping is expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from rota.errors import BadOption
from rota.model.monitors.monitor import Monitor
from rota.model.schedules.definitions import Cron, Dialect, Every, Schedule
from rota.rules.monitors.states import NextPing
from rota.rules.schedules.sentence import describe
from rota.rules.schedules.trigger_options import read_trigger
from rota.rules.schedules.triggers import compile_schedule
from rota.rules.text.checks import duration_ms, one_of
from rota.rules.text.duration import parse_duration
from rota.rules.text.names import check_name

LEAST_MS = 1_000
MOST_MS = 366 * 86_400_000
MOST_CHARS = 2_000


def read_monitor(fields: Mapping[str, Any]) -> Monitor:
    """Return the monitor of these fields; BadOption names one that is unknown or wrong."""
    try:
        return check_monitor(msgspec.convert(dict(fields), Monitor))
    except msgspec.ValidationError as error:
        raise BadOption(f"monitor: {error}") from error


def check_monitor(monitor: Monitor) -> Monitor:
    """Return the monitor; BadOption for one whose next ping nobody could tell."""
    if (monitor.every is None) == (monitor.cron is None):
        raise BadOption("give exactly one of every, such as 1d, and cron, such as `0 6 * * *`")
    if monitor.every is not None:
        _check_span("every", monitor.every)
    if monitor.cron is None and (monitor.dialect, monitor.zone) != ("vixie", "UTC"):
        raise BadOption("zone and dialect are for a cron line; leave them out beside every")
    one_of("dialect", monitor.dialect, get_args(Dialect))
    _check_span("grace", monitor.grace)
    if len(monitor.note) > MOST_CHARS:
        raise BadOption(f"note: at most {MOST_CHARS:,} characters")
    if next_ping(monitor)(0) is None:
        raise BadOption(f"cron={monitor.cron!r:.64} never fires")
    return monitor


def check_monitor_name(name: object) -> str:
    """Return the name of a monitor, which is a part of a path that is pinged."""
    checked = check_name("monitor", name)
    if "/" in checked:
        raise BadOption(f"{checked!r:.140}: the name of a monitor has no slash")
    return checked


def next_ping(monitor: Monitor) -> NextPing:
    """Return the rule for the next ping: a period after the last one, or the next cron time."""
    if monitor.every is not None:
        period_ms = parse_duration(monitor.every)
        return lambda at: at + period_ms
    return compile_schedule(_schedule(monitor), seed="", calendars={}).after


def grace_ms(monitor: Monitor) -> int:
    """Return the grace time in milliseconds."""
    return parse_duration(monitor.grace)


def describe_monitor(monitor: Monitor) -> str:
    """Return when pings are expected, such as `At 06:00, Europe/Paris`."""
    return describe(_schedule(monitor))


def _schedule(monitor: Monitor) -> Schedule:
    if monitor.every is not None:
        return Schedule(trigger=Every(every=monitor.every))
    trigger = read_trigger({"cron": monitor.cron, "dialect": monitor.dialect}, field="cron")
    if not isinstance(trigger, Cron):
        raise BadOption(f"cron={monitor.cron!r:.64} is not a cron line")
    return Schedule(trigger=trigger, zone=monitor.zone)


def _check_span(field: str, text: str) -> None:
    if not LEAST_MS <= duration_ms(field, text) <= MOST_MS:
        raise BadOption(f"{field}={text!r:.64} is not from one second to 366 days")
