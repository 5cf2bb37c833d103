"""Handles for business calendars and maintenance windows."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.errors import UnknownBlackout
from rota.handles.backend import Backend
from rota.model.schedules.definitions import Blackout, BlackoutView, Calendar, CalendarView
from rota.operations.admission.windows import (
    BlackoutBody,
    list_blackouts,
    put_blackout,
    remove_blackout,
)
from rota.operations.schedules.calendars import (
    CalendarBody,
    list_calendars,
    put_calendar,
    remove_calendar,
)
from rota.rules.schedules.windows import read_blackout


class Calendars:
    """Business calendars that schedules name; get it as `app.calendars` or `client.calendars`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> dict[str, CalendarView]:
        """Return all calendars by name."""
        return {each.name: each for each in self._backend.call(list_calendars).items}

    def put(self, name: str, calendar: Calendar) -> CalendarView:
        """Create or change a calendar; schedules that name it follow at once."""
        body = CalendarBody(**msgspec.structs.asdict(calendar))
        return self._backend.call(put_calendar, name, body)

    def remove(self, name: str) -> None:
        """Remove a calendar; refused while a schedule names it."""
        self._backend.call(remove_calendar, name)


class Blackouts:
    """Maintenance windows, in which nothing starts by time, or nothing at all: `app.blackouts`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> dict[str, BlackoutView]:
        """Return all maintenance windows by name."""
        return {each.name: each for each in self._backend.call(list_blackouts).items}

    def put(self, name: str, blackout: Blackout | None = None, **fields: Any) -> BlackoutView:
        """Create or change a maintenance window, given as a Blackout or by its fields.

        `app.blackouts.put("sunday", kind="skip", trigger="0 2 * * sun", duration="4h")`
        """
        window = blackout or read_blackout(fields)
        values = {field: getattr(window, field) for field in window.__struct_fields__}
        trigger = window.trigger and msgspec.to_builtins(window.trigger)
        return self._backend.call(put_blackout, name, BlackoutBody(**values | {"trigger": trigger}))

    def remove(self, name: str) -> bool:
        """Remove a maintenance window; False when there was none of that name."""
        try:
            self._backend.call(remove_blackout, name)
        except UnknownBlackout:
            return False
        return True
