"""Named calendars and maintenance windows behind a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, Page
from rota.engine.schedules.compiled import StoredCalendar
from rota.errors import UnknownBlackout
from rota.model.schedule import Blackout, Calendar
from rota.rules.schedules.windows import read_blackout
from rota.rules.text.names import check_name

if TYPE_CHECKING:
    from rota.client.client import Client


class _Calendar(Answer):
    name: str
    version: int
    country: str | None
    weekend: tuple[int, ...]
    off: tuple[str, ...]
    on: tuple[str, ...]


class ServedCalendars:
    """Business calendars that schedules name."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self) -> dict[str, StoredCalendar]:
        """All of them by name, with the number of their version."""
        found = self._client.line.get("/calendars", Page[_Calendar]).items
        return {each.name: StoredCalendar(each.version, _calendar(each)) for each in found}

    def put(self, name: str, calendar: Calendar) -> None:
        """Make or change one; schedules that name it follow at once."""
        check_name("calendar", name)
        self._client.line.put(_at("calendars", name), Answer, msgspec.structs.asdict(calendar))

    def remove(self, name: str) -> None:
        """Forget one; refused while a schedule names it."""
        self._client.line.delete(_at("calendars", name), Answer)


class ServedBlackouts:
    """Windows in which nothing starts by time, or nothing at all."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self) -> dict[str, Blackout]:
        """All of them by name."""
        found = self._client.line.get("/blackouts", Page[dict[str, Any]]).items
        return {each["name"]: _window(each) for each in found}

    def put(self, name: str, blackout: Blackout | None = None, **fields: Any) -> None:
        """Make or change one: a Blackout, or its fields, as of `app.blackouts`."""
        check_name("blackout", name)
        window = blackout or read_blackout(fields)
        self._client.line.put(_at("blackouts", name), Answer, msgspec.to_builtins(window))

    def remove(self, name: str) -> bool:
        """Forget one; False when there was none of that name."""
        try:
            self._client.line.delete(_at("blackouts", name), Answer)
        except UnknownBlackout:
            return False
        return True


def _calendar(found: _Calendar) -> Calendar:
    return Calendar(country=found.country, weekend=found.weekend, off=found.off, on=found.on)


def _window(found: dict[str, Any]) -> Blackout:
    """Without what goes without saying, as the store has it."""
    usual = {field.name: field.default for field in msgspec.structs.fields(Blackout)}
    said = {name: found[name] for name in usual if found[name] != usual[name]}
    return msgspec.convert(said, type=Blackout)


def _at(group: str, name: str) -> str:
    return f"/{group}/{quote(name, safe='')}"
