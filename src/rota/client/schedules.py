"""Schedules behind a server: the verbs of `app.schedules` that need no code."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, Page, ms_or_none
from rota.clock import to_datetime, to_ms
from rota.engine.schedules.firings import FiringView
from rota.engine.schedules.views import ScheduleOrigin, ScheduleState, ScheduleView
from rota.errors import BadOption
from rota.handles.backfills import Backfill, Backfills, backfill_body
from rota.model.schedule import Schedule
from rota.model.schedules.backfill import BackfillInstant, Reprocess
from rota.rules.schedules.options import read_schedule
from rota.rules.schedules.preview import Firing

if TYPE_CHECKING:
    from rota.client.client import Client
    from rota.client.run import ServedRun

PUT_AS = {"is_paused": "paused"}


class _Item(Answer, kw_only=True):
    id: str
    name: str
    job: str
    spec: Schedule | None
    description: str
    state: ScheduleState
    note: str | None
    origin: ScheduleOrigin
    app: str | None
    revision: int
    next_at: datetime | None
    last_at: datetime | None
    blocked_by: str | None
    running: int
    waiting: int
    fired: int
    missed: int
    skipped: int
    failures: int
    last_run: str | None = msgspec.field(name="lastExecutionId")
    last_state: str | None
    last_ended_at: datetime | None
    last_success: str | None
    last_success_at: datetime | None
    changed_by: str | None
    changed_at: datetime
    created_at: datetime


class _Coming(Answer):
    at: datetime
    local: str
    marks: tuple[str, ...]


class _Past(Answer):
    at: datetime
    kind: str
    decision: str
    decided_at: datetime
    run_id: str | None = msgspec.field(name="executionId")
    state: str | None


class _Shown(_Item, kw_only=True):
    coming: list[_Coming]
    past: list[_Past]


class _Started(Answer):
    run_id: str | None = msgspec.field(name="executionId")


class ServedSchedules:
    """Schedules of the namespace; who changes them is who the token says."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.backfills = Backfills(client.backend)

    def list(
        self,
        *,
        job: str | None = None,
        state: ScheduleState | None = None,
        after: str = "",
        limit: int = 50,
    ) -> list[ScheduleView]:
        """By name."""
        filters = {"jobId": job, "state": state, "spec": "true"}
        start = after or None
        found = self._client.pages("/schedules", _Item, filters, start=start, limit=limit)
        return [_view(each) for each in found]

    def show(self, name: str) -> ScheduleView:
        """One of them, with its next firing, its counters and how it went last."""
        return _view(self._shown(name, 1))

    def preview(self, name: str, *, count: int = 5) -> builtins.list[Firing]:
        """Its next firings, with what is special about them; none once it has ended."""
        found = self._shown(name, count).coming
        return [Firing(at=to_ms(each.at), wall=each.local, marks=each.marks) for each in found]

    def firings(
        self, name: str, *, before: int | None = None, limit: int = 50
    ) -> builtins.list[FiringView]:
        """What became of its instants, the newest first."""
        start = None if before is None else to_datetime(before).isoformat()
        query = {"before": start, "limit": limit}
        found = self._client.line.get(_at(name, "/firings"), Page[_Past], query).items
        return [
            FiringView(
                instant=to_ms(each.at),
                kind=each.kind,
                decision=each.decision,
                decided_at=to_ms(each.decided_at),
                run_id=each.run_id,
                state=each.state,
            )
            for each in found
        ]

    def put(
        self,
        name: str,
        schedule: object,
        *,
        job: str,
        args: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> ScheduleView:
        """Make a schedule, or change the one of this name; schedulers hear of it at once.

        `schedule` and the options are those of `@app.job(schedule=...)`.
        """
        stored = self._client.calendars.list()
        known = {each: one.calendar for each, one in stored.items()}
        read = read_schedule(schedule, options, calendars=known)
        if read.name is not None:
            raise BadOption(f"schedule {name!r} is to be named {read.name!r} too; say it once")
        if args is not None:
            read = msgspec.structs.replace(read, args=dict(args))
        facts = msgspec.to_builtins(read)
        body = {_camel(PUT_AS.get(field, field)): value for field, value in facts.items()}
        self._client.line.put(_at(name), Answer, {"job": job, **body})
        return self.show(name)

    def remove(self, name: str) -> None:
        """It fires no more; what waits is skipped, what runs goes on."""
        self._client.line.delete(_at(name), Answer)

    def pause(self, name: str, *, note: str | None = None) -> None:
        """No more starts but by hand, until somebody resumes it; what runs goes on."""
        self._client.line.post(_at(name, "/pause"), Answer, {} if note is None else {"note": note})

    def resume(self, name: str) -> None:
        """Go on; what was due meanwhile was missed, and `catchup` decides about it."""
        self._client.line.post(_at(name, "/resume"), Answer)

    def unblock(self, name: str) -> None:
        """With `overlap="strict"`: go on although a run has failed."""
        self._client.line.post(_at(name, "/unblock"), Answer)

    def trigger(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        scheduled_for: datetime | None = None,
    ) -> ServedRun | None:
        """Start it once now, under its overlap policy; None when that gave the start up."""
        body: dict[str, Any] = {"args": dict(args or {})}
        if scheduled_for is not None:
            body["scheduledFor"] = scheduled_for
        started = self._client.line.post(_at(name, "/trigger"), _Started, body)
        return None if started.run_id is None else self._client.run(started.run_id)

    def backfill(  # noqa: PLR0913  # which instants, and how, all named
        self,
        name: str,
        start: str | datetime,
        end: str | datetime,
        *,
        reprocess: Reprocess = "missing",
        newest_first: bool = False,
        parallel: int | None = None,
        args: Mapping[str, Any] | None = None,
        most: int | None = None,
    ) -> Backfill:
        """Run it for past instants, from `start` (included) to `end`; as `app.schedules` does."""
        wanted = backfill_body(
            start,
            end,
            reprocess=reprocess,
            newest_first=newest_first,
            parallel=parallel,
            args=args,
            most=most,
        )
        return self.backfills.start(name, wanted)

    def preview_backfill(  # noqa: PLR0913  # which instants, all named
        self,
        name: str,
        start: str | datetime,
        end: str | datetime,
        *,
        reprocess: Reprocess = "missing",
        newest_first: bool = False,
        most: int | None = None,
        limit: int = 100,
    ) -> builtins.list[BackfillInstant]:
        """What a backfill would do with the first instants of its range; refuses what it would."""
        wanted = backfill_body(
            start, end, reprocess=reprocess, newest_first=newest_first, most=most
        )
        return self.backfills.preview(name, wanted, limit=limit)

    def _shown(self, name: str, count: int) -> _Shown:
        return self._client.line.get(_at(name), _Shown, {"count": count})


def _at(name: str, verb: str = "") -> str:
    return f"/schedules/{quote(name, safe='')}{verb}"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _view(item: _Item) -> ScheduleView:
    facts: dict[str, Any] = {
        name: getattr(item, name)
        for name in ScheduleView.__struct_fields__
        if name in _Item.__struct_fields__
    }
    facts |= {
        name: ms_or_none(value) for name, value in facts.items() if isinstance(value, datetime)
    }
    return ScheduleView(schedule=item.spec, **facts)
