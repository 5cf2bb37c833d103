"""Handles for schedules: make, change, pause and start them while they are in use."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from rota.clock import to_datetime
from rota.errors import BadOption
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.handles.schedules.backfills import Backfill, Backfills, backfill_body
from rota.model.schedules.backfill import BackfillInstant, Reprocess
from rota.model.schedules.definitions import Schedule
from rota.model.schedules.firing import FiringView, NextFiring, UpcomingFirings
from rota.model.schedules.schedule import ScheduleDetail, ScheduleState, ScheduleView
from rota.operations.schedules.bodies import schedule_body
from rota.operations.schedules.calendars import list_calendars
from rota.operations.schedules.firings import list_firings, list_upcoming, trigger_schedule
from rota.operations.schedules.schedules import (
    list_schedules,
    pause_schedule,
    put_schedule,
    remove_schedule,
    resume_schedule,
    show_schedule,
    unblock_schedule,
)
from rota.rules.schedules.arguments import check_args, written
from rota.rules.schedules.options import read_schedule

R = TypeVar("R")


class Fit(Protocol):
    """Fits the arguments of a schedule to the code of this process."""

    def __call__(self, schedule: Schedule, job: str, *, by_hand: bool = False) -> Schedule:
        """Return the schedule with fitted arguments; unchanged if the job's code is not here."""
        ...


class Schedules(Generic[R]):
    """The schedules of a namespace; get it as `app.schedules` or `client.schedules`."""

    def __init__(
        self, backend: Backend, *, run: Callable[[str], R], fit: Fit | None = None
    ) -> None:
        self._backend = backend
        self._run = run
        self._fit = fit
        self.backfills = Backfills(backend)

    def list(
        self,
        *,
        job: str | None = None,
        state: ScheduleState | None = None,
        after: str = "",
        limit: int = 50,
    ) -> builtins.list[ScheduleView]:
        """Return schedules by name; `after` is the last name of the page before."""
        filters: dict[str, Any] = {"job": job, "only": state, "spec": True}
        return all_items(self._backend, list_schedules, start=after or None, limit=limit, **filters)

    def show(self, name: str, *, count: int = 1) -> ScheduleDetail:
        """Return one schedule with counters and last results, and `count` firings of each kind."""
        return self._backend.call(show_schedule, name, count=count)

    def firings(
        self, name: str, *, before: datetime | int | None = None, limit: int = 50
    ) -> builtins.list[FiringView]:
        """Return the results of its past firings, newest first."""
        start = to_datetime(before) if isinstance(before, int) else before
        return all_items(self._backend, list_firings, limit=limit, name=name, before=start)

    def upcoming(self, *, until: datetime | None = None, limit: int = 100) -> UpcomingFirings:
        """Return the firings of all schedules in order, up to `until`; default: for a day."""
        return self._backend.call(list_upcoming, until=until, limit=limit)

    def preview(self, name: str, *, count: int = 5) -> builtins.list[NextFiring]:
        """Return the next firings, with what is special about them; none after the end."""
        return self.show(name, count=count).coming

    def put(  # a name, a rule, and for what
        self,
        name: str,
        schedule: object,
        *,
        job: str,
        args: Mapping[str, Any] | None = None,
        who: str | None = None,
        **options: Any,
    ) -> ScheduleDetail:
        """Create a schedule, or change the one of this name; schedulers follow at once.

        `schedule` and the options are those of `@app.job(schedule=...)`.
        """
        stored = self._backend.call(list_calendars).items
        calendars = {each.name: each.calendar for each in stored}
        read = read_schedule(schedule, options, calendars=calendars)
        if read.name is not None:
            raise BadOption(f"schedule {name!r} is to be named {read.name!r} too; say it once")
        if args is not None:
            read = msgspec.structs.replace(read, args=written(args))
            check_args(read)
        if self._fit is not None:
            read = self._fit(read, job)
        self._backend.acting_as(who).call(put_schedule, name, schedule_body(job, read))
        return self.show(name)

    def remove(self, name: str, *, who: str | None = None) -> None:
        """Remove a schedule: it fires no more, waiting runs are skipped, running ones go on."""
        self._backend.acting_as(who).call(remove_schedule, name)

    def pause(self, name: str, *, note: str | None = None, who: str | None = None) -> None:
        """Pause a schedule: until it is resumed, it starts by hand only; running runs go on."""
        self._backend.acting_as(who).call(pause_schedule, name, note=note)

    def resume(self, name: str, *, who: str | None = None) -> None:
        """Resume a schedule; firings missed during the pause are left to `catchup`."""
        self._backend.acting_as(who).call(resume_schedule, name)

    def unblock(self, name: str, *, who: str | None = None) -> None:
        """Go on after a failed run, for a schedule with `overlap="strict"`."""
        self._backend.acting_as(who).call(unblock_schedule, name)

    def trigger(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        scheduled_for: datetime | None = None,
        who: str | None = None,
    ) -> R | None:
        """Start the schedule once now, under its overlap policy; None if that dropped the start.

        This works while it is paused, too. `args` replace some of the schedule's arguments; with
        `scheduled_for` the run is for that time, as if it had been started then.
        """
        started = self._backend.acting_as(who).call(
            trigger_schedule, name, args=self._args(name, args), scheduled_for=scheduled_for
        )
        return None if started.run_id is None else self._run(started.run_id)

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
        who: str | None = None,
    ) -> Backfill:
        """Run the schedule for past instants, from `start` (included) to `end` (not included).

        `reprocess` says which instants get a run: those that have none, also those that failed, or
        all. The runs keep to the overlap policy of the schedule and give way to its other starts;
        with `parallel` the backfill has that many places of its own instead. More than 10,000
        firings need a larger `most`.
        """
        body = backfill_body(
            start,
            end,
            reprocess=reprocess,
            newest_first=newest_first,
            parallel=parallel,
            args=self._args(name, args),
            most=most,
        )
        return self.backfills.start(name, body, who=who)

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
        """Return what a backfill would do with the first instants; refuses what it would."""
        body = backfill_body(start, end, reprocess=reprocess, newest_first=newest_first, most=most)
        return self.backfills.preview(name, body, limit=limit)

    def _args(self, name: str, args: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return the arguments of a start by hand, beside those of the schedule itself."""
        if args is None:
            return None
        view = None if self._fit is None else self.show(name)
        if self._fit is None or view is None or view.schedule is None:
            return dict(args)
        merged = msgspec.structs.replace(view.schedule, args={**view.schedule.args, **args})
        return self._fit(merged, view.job, by_hand=True).args
