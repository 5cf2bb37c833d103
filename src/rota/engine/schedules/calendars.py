"""Stored calendars: named and versioned; a change recomputes the schedules that use them."""

from __future__ import annotations

import json

import msgspec

from rota.engine.locks import lock_name
from rota.engine.wakeup_keys import LOOK
from rota.errors import BadOption, UnknownCalendar
from rota.model.schedules.definitions import Calendar, CalendarView
from rota.model.view import view_of
from rota.rules.schedules.calendars import business_days
from rota.store.base import Tx

_calendar = msgspec.json.Decoder(Calendar)


def put_calendar(tx: Tx, name: str, calendar: Calendar, *, namespace: str) -> bool:
    """Store a calendar; the next instants of the schedules that name it follow at once.

    False if it is there already.
    """
    business_days(calendar)
    spec = msgspec.json.encode(calendar).decode()
    lock_name(tx, "calendar", name, namespace=namespace)
    if not tx.execute("put_calendar", namespace=namespace, name=name, spec=spec):
        return False
    tx.execute("look_again_at_users", namespace=namespace, calendar=name)
    tx.notify((LOOK,))
    return True


def remove_calendar(tx: Tx, name: str, *, namespace: str) -> None:
    """Remove a calendar; UnknownCalendar if there is none, BadOption while a schedule names it."""
    lock_name(tx, "calendar", name, namespace=namespace)
    users = tx.all("calendar_users", namespace=namespace, calendar=name)
    if users:
        raise BadOption(f"calendar {name!r} is used by schedule {users[0]['name']!r}")
    if not tx.execute("delete_calendar", namespace=namespace, name=name):
        raise UnknownCalendar(name)


def jobs_by_calendar(tx: Tx, *, namespace: str) -> dict[str, set[str]]:
    """For each calendar in use, the jobs whose schedules use it."""
    by_calendar: dict[str, set[str]] = {}
    for row in tx.all("jobs_by_calendar", namespace=namespace):
        by_calendar.setdefault(row["calendar"], set()).add(row["job"])
    return by_calendar


def calendars(tx: Tx, *, namespace: str) -> dict[str, CalendarView]:
    """All calendars of a namespace, by name."""
    rows = tx.all("load_calendars", namespaces=json.dumps([namespace]))
    return {
        row["name"]: view_of(
            CalendarView, row, **msgspec.structs.asdict(_calendar.decode(row["spec"]))
        )
        for row in sorted(rows, key=lambda row: str(row["name"]))
    }
