"""Handles for backfills: the past instants of a schedule as runs."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from rota.clock import elapsed_s
from rota.engine.schedules.backfills.span import MOST
from rota.errors import BadOption, RunNotFinished
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.schedules.backfill import BackfillInstant, BackfillView, Reprocess
from rota.operations.schedules.backfills import (
    PLANNED,
    BackfillBody,
    backfill_schedule,
    find_backfill,
    list_backfills,
    stop_backfill,
)
from rota.rules.text.duration import parse_duration

LOOK_S = 0.2
Told = Callable[[BackfillView], None]


def backfill_body(  # noqa: PLR0913  # which instants, and how, all named
    start: str | datetime,
    end: str | datetime,
    *,
    reprocess: Reprocess = "missing",
    newest_first: bool = False,
    parallel: int | None = None,
    args: Mapping[str, Any] | None = None,
    most: int | None = None,
) -> BackfillBody:
    """Return a range of instants for the operation; `start` is included, `end` is not."""
    return BackfillBody(
        begin=start.isoformat() if isinstance(start, datetime) else start,
        until=end.isoformat() if isinstance(end, datetime) else end,
        order="newest" if newest_first else "oldest",
        reprocess=reprocess,
        concurrency=parallel,
        args=None if args is None else dict(args),
        most=MOST if most is None else most,
    )


class Backfill:
    """One backfill, by its id."""

    def __init__(self, backend: Backend, backfill_id: str) -> None:
        self._backend = backend
        self.id = backfill_id

    def __repr__(self) -> str:
        return f"<Backfill {self.id}>"

    def show(self) -> BackfillView:
        """Return the state and progress of the backfill."""
        return self._backend.call(find_backfill, self.id)

    def wait(self, timeout: str | float | None = None, *, told: Told | None = None) -> BackfillView:
        """Wait for the end; `told` is called with progress. RunNotFinished after the timeout."""
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
        """Make no more runs; those that exist go on."""
        self._backend.acting_as(who).call(stop_backfill, self.id, note=note)


class Backfills:
    """The backfills of a namespace, for `app.schedules` and `client.schedules`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self, schedule: str | None = None, *, limit: int = 50) -> builtins.list[BackfillView]:
        """Return backfills, newest first."""
        return all_items(self._backend, list_backfills, limit=limit, schedule=schedule)

    def find(self, backfill_id: str) -> Backfill:
        """Return a handle by its id."""
        return Backfill(self._backend, backfill_id)

    def start(self, name: str, wanted: BackfillBody, *, who: str | None = None) -> Backfill:
        """Start a backfill, done by schedulers. A range of more than `most` firings is refused."""
        begun = self._backend.acting_as(who).call(backfill_schedule, name, wanted)
        if begun.backfill is None:
            raise BadOption(f"no backfill of {name} was begun: that was a dry run")
        return self.find(begun.backfill.id)

    def preview(
        self, name: str, wanted: BackfillBody, *, limit: int = PLANNED
    ) -> builtins.list[BackfillInstant]:
        """Return what it would do with the first instants of the range; nothing is written."""
        if limit > PLANNED:
            raise BadOption(f"limit={limit}: a preview tells of up to {PLANNED} instants")
        body = msgspec.structs.replace(wanted, dry_run=True)
        return [*self._backend.call(backfill_schedule, name, body).planned][:limit]
