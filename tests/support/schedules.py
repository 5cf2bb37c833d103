"""Instants and timetables for the tests of schedules."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rota.model.schedules.definitions import Calendar, Schedule, Trigger
from rota.rules.schedules.timetable import Timetable, firings
from rota.rules.schedules.triggers import compile_schedule

NO_CALENDARS: dict[str, Calendar] = {}


def ms(text: str) -> int:
    """Return the instant of a text; without an offset it is UTC."""
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1_000)


def iso(at: int | None) -> str | None:
    """Return the instant as text, in UTC and as short as can be."""
    if at is None:
        return None
    text = datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return text.removesuffix(":00") + "Z"


def compiled(trigger: Trigger, zone: str = "UTC", **policies: Any) -> Timetable:
    """Return the timetable of a schedule with these policies."""
    schedule = Schedule(trigger=trigger, zone=zone, **policies)
    return compile_schedule(schedule, seed="s", calendars=NO_CALENDARS)


def times(timetable: Timetable, after: str, until: str) -> list[str | None]:
    """Return the firings as texts."""
    return [iso(at) for at in firings(timetable, ms(after), ms(until))]


def assert_consistent(timetable: Timetable, after: int, until: int, probe: int) -> None:
    """Check that from anywhere the answer is the first firing strictly later."""
    found = list(firings(timetable, after, until))

    assert found == sorted(set(found))
    expected = next((at for at in found if at > probe), None)
    answer = timetable.after(max(after, probe))
    assert (answer if answer is not None and answer <= until else None) == expected
