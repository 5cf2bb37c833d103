"""Named calendars and maintenance windows in the hands of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rota.app.acts import act
from rota.engine.admission import windows
from rota.engine.schedules import calendars as engine
from rota.engine.schedules.compiled import StoredCalendar
from rota.model.schedule import Blackout, Calendar
from rota.rules.schedules.windows import read_blackout
from rota.rules.text.names import check_name
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App


class Calendars:
    """Business calendars that schedules name; get it as `app.calendars`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self) -> dict[str, StoredCalendar]:
        """All of them by name, with the number of their version."""
        return self._app.store.read(lambda tx: engine.calendars(tx, namespace=self._app.namespace))

    def put(self, name: str, calendar: Calendar) -> None:
        """Make or change one; schedules that name it follow at once."""
        check_name("calendar", name)

        def put(tx: Tx, _: str) -> None:
            engine.put_calendar(tx, name, calendar, namespace=self._app.namespace)

        act(self._app, "put calendar", name, put)

    def remove(self, name: str) -> None:
        """Forget one; refused while a schedule names it."""

        def remove(tx: Tx, _: str) -> None:
            engine.remove_calendar(tx, name, namespace=self._app.namespace)

        act(self._app, "remove calendar", name, remove)


class Blackouts:
    """Windows in which nothing starts by time, or nothing at all; get it as `app.blackouts`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self) -> dict[str, Blackout]:
        """All of them by name."""
        return self._app.store.read(lambda tx: windows.blackouts(tx, namespace=self._app.namespace))

    def put(self, name: str, blackout: Blackout | None = None, **fields: Any) -> None:
        """Make or change one: a Blackout, or its fields.

        `app.blackouts.put("sunday", kind="skip", trigger="0 2 * * sun", duration="4h")`
        """
        check_name("blackout", name)
        window = blackout or read_blackout(fields)

        def put(tx: Tx, _: str) -> None:
            windows.put_blackout(tx, name, window, namespace=self._app.namespace)

        act(self._app, "put blackout", name, put)

    def remove(self, name: str) -> bool:
        """Forget one; False when there was none of that name."""

        def remove(tx: Tx, _: str) -> bool:
            return windows.remove_blackout(tx, name, namespace=self._app.namespace)

        return act(self._app, "remove blackout", name, remove)
