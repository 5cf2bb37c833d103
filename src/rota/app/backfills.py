"""Backfills in the hands of a program: the past instants of a schedule as runs."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from rota.clock import elapsed_s
from rota.engine.identity.audit_log import Actor, record
from rota.engine.schedules.backfills import fill as engine
from rota.engine.schedules.backfills.fill import BackfillInstant
from rota.engine.schedules.backfills.span import MOST, BackfillRange, BackfillRequest
from rota.engine.schedules.backfills.views import BackfillView, backfills, show_backfill
from rota.errors import BadOption, RunNotFinished
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.rules.schedules.zones import zone
from rota.rules.text.duration import parse_duration
from rota.rules.text.moments import read_bound
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App

LOOK_S = 0.2
Told = Callable[[BackfillView], None]


class Backfill:
    """One backfill, by its id."""

    def __init__(self, app: App, backfill_id: str) -> None:
        self._app = app
        self.id = backfill_id

    def __repr__(self) -> str:
        return f"<Backfill {self.id}>"

    def show(self) -> BackfillView:
        """How far it is."""
        namespace = self._app.namespace
        return self._app.store.read(lambda tx: show_backfill(tx, self.id, namespace=namespace))

    def wait(self, timeout: str | float | None = None, *, told: Told | None = None) -> BackfillView:
        """How it ended; `told` hears of its progress. RunNotFinished when it takes longer."""
        end_s = float("inf") if timeout is None else elapsed_s() + parse_duration(timeout) / 1000
        while True:
            view = self.show()
            if told is not None:
                told(view)
            if view.state != "active" and not view.live:
                return view
            if elapsed_s() >= end_s:
                raise RunNotFinished(f"backfill {self.id} has {view.live} runs that have not ended")
            time.sleep(LOOK_S)

    def cancel(self, *, note: str | None = None, who: str | None = None) -> None:
        """Make no more runs; those that are there go on."""
        app, by = self._app, Actor(act_id=new_id(), who=who or whoami())

        def cancel(tx: Tx) -> None:
            name = show_backfill(tx, self.id, namespace=app.namespace).schedule or ""
            engine.cancel_backfill(tx, self.id, namespace=app.namespace, note=note)
            told = {"id": self.id, **({"note": note} if note else {})}
            record(
                tx, by, namespace=app.namespace, verb="cancel backfill", subject=name, detail=told
            )

        app.store.write(cancel)


class Backfills:
    """What `app.schedules` knows of backfills."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self, schedule: str | None = None, *, limit: int = 50) -> builtins.list[BackfillView]:
        """The newest first."""
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: backfills(tx, namespace=namespace, schedule=schedule, limit=limit)
        )

    def find(self, backfill_id: str) -> Backfill:
        """A handle by its id."""
        return Backfill(self._app, backfill_id)

    def start(
        self, name: str, wish: BackfillRequest, *, most: int | None = None, who: str | None = None
    ) -> Backfill:
        """Begin; schedulers do the work. A range of more than `most` firings is refused."""
        wanted, backfill_id = self._range(name, wish), new_id()
        app, by = self._app, Actor(act_id=new_id(), who=who or whoami())
        told = {"from": str(wish.start), "to": str(wish.end), "id": backfill_id}

        def start(tx: Tx) -> None:
            engine.start_backfill(
                tx,
                name,
                wanted,
                namespace=app.namespace,
                backfill_id=backfill_id,
                compiled=app.schedules.compiled,
                most=MOST if most is None else most,
            )
            record(
                tx, by, namespace=app.namespace, verb="backfill schedule", subject=name, detail=told
            )

        app.store.write(start)
        return Backfill(app, backfill_id)

    def preview(
        self, name: str, wish: BackfillRequest, *, most: int | None = None, limit: int = 100
    ) -> builtins.list[BackfillInstant]:
        """What it would do with the first instants of the range; nothing is written."""
        wanted = self._range(name, wish)
        schedules = self._app.schedules
        return self._app.store.read(
            lambda tx: engine.preview_backfill(
                tx,
                name,
                wanted,
                namespace=self._app.namespace,
                compiled=schedules.compiled,
                most=MOST if most is None else most,
                limit=limit,
            )
        )

    def _range(self, name: str, wish: BackfillRequest) -> BackfillRange:
        view = self._app.schedules.show(name)
        if view.schedule is None:
            raise BadOption(f"schedule {name!r} cannot be read: {view.note}")
        where = view.schedule.zone
        return BackfillRange(
            from_at=_instant("from", wish.start, where),
            to_at=_instant("to", wish.end, where),
            reprocess=wish.reprocess,
            newest_first=wish.newest_first,
            parallel=wish.parallel,
            args=None if wish.args is None else self._app.schedules.merged(name, wish.args),
        )


def _instant(field: str, given: str | datetime, zone_name: str) -> int:
    """With an offset an instant, without one a wall time of the schedule's zone."""
    text = given.isoformat() if isinstance(given, datetime) else given
    return read_bound(field, text, zone(zone_name))
