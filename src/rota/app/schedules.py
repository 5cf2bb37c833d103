"""Schedules in the hands of a program: make, change, pause and start them while others run."""

from __future__ import annotations

import builtins
import random
from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from rota.app.acts import act
from rota.app.run import Run
from rota.clock import to_ms
from rota.engine.jobs.definitions import current_specs
from rota.engine.schedules import definitions as engine
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.engine.schedules.firings import FiringView, firings_of
from rota.engine.schedules.next_firings import coming
from rota.engine.schedules.trigger import Triggered, trigger
from rota.engine.schedules.views import ScheduleState, ScheduleView, schedules, show
from rota.errors import BadOption, UnknownJob
from rota.handles.backfills import Backfill, Backfills, backfill_body
from rota.ids import new_id
from rota.model.schedule import OnEvent, Schedule
from rota.model.schedules.backfill import BackfillInstant, Reprocess
from rota.rules.jobs.stored_signature import check_schedule, fitting
from rota.rules.schedules.arguments import check_args, written
from rota.rules.schedules.options import read_schedule
from rota.rules.schedules.preview import Firing
from rota.rules.text.names import check_name
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App

T = TypeVar("T")


class Schedules:
    """The schedules of one app's namespace; get it as `app.schedules`."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.backfills = Backfills(app.backend)
        self._compiled: CompiledSchedules | None = None
        self._compiling = Lock()

    def list(
        self,
        *,
        job: str | None = None,
        state: ScheduleState | None = None,
        after: str = "",
        limit: int = 50,
    ) -> builtins.list[ScheduleView]:
        """By name; `after` is the last name of the page before."""
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: schedules(
                tx, namespace=namespace, job=job, state=state, after=after, limit=limit
            )
        )

    def show(self, name: str) -> ScheduleView:
        """One of them, with its next firing, its counters and how it went last."""
        return self._app.store.read(lambda tx: show(tx, name, namespace=self._app.namespace))

    def firings(
        self, name: str, *, before: int | None = None, limit: int = 50
    ) -> builtins.list[FiringView]:
        """What became of its instants, the newest first."""
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: firings_of(tx, name, namespace=namespace, before=before, limit=limit)
        )

    def preview(self, name: str, *, count: int = 5) -> builtins.list[Firing]:
        """Its next firings, with what is special about them; none once it has ended."""
        view = self.show(name)
        return self._app.store.read(
            lambda tx: coming(tx, view, namespace=self._here, compiled=self.compiled, count=count)
        )

    def put(  # a name, a rule, and for what
        self,
        name: str,
        schedule: object,
        *,
        job: str,
        args: Mapping[str, Any] | None = None,
        who: str | None = None,
        **options: Any,
    ) -> ScheduleView:
        """Make a schedule, or change the one of this name; schedulers hear of it at once.

        `schedule` and the options are those of `@app.job(schedule=...)`.
        """
        stored = self._app.calendars.list()
        known = {each: one.calendar for each, one in stored.items()}
        read = read_schedule(schedule, options, calendars=known)
        if read.name is not None:
            raise BadOption(f"schedule {name!r} is to be named {read.name!r} too; say it once")
        if args is not None:
            read = msgspec.structs.replace(read, args=written(args))
            check_args(read)
        checked = self._checked(read, job)
        check_name("schedule", name)
        return self._act("put", name, who, lambda tx, by: self._put(tx, name, checked, job, by))

    def remove(self, name: str, *, who: str | None = None) -> None:
        """It fires no more; what waits is skipped, what runs goes on."""
        self._act("remove", name, who, lambda tx, _: engine.remove(tx, name, namespace=self._here))

    def pause(self, name: str, *, note: str | None = None, who: str | None = None) -> None:
        """No more starts but by hand, until somebody resumes it; what runs goes on."""

        def pause(tx: Tx, by: str) -> None:
            engine.pause(tx, name, namespace=self._here, who=by, note=note)

        self._act("pause", name, who, pause, note=note)

    def resume(self, name: str, *, who: str | None = None) -> None:
        """Go on; what was due meanwhile was missed, and `catchup` decides about it."""

        def resume(tx: Tx, by: str) -> None:
            engine.resume(tx, name, namespace=self._here, who=by)

        self._act("resume", name, who, resume)

    def unblock(self, name: str, *, who: str | None = None) -> None:
        """With `overlap="strict"`: go on although a run has failed."""

        def unblock(tx: Tx, by: str) -> None:
            engine.unblock(tx, name, namespace=self._here, who=by)

        self._act("unblock", name, who, unblock)

    def trigger(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        scheduled_for: datetime | None = None,
        who: str | None = None,
    ) -> Run[Any] | None:
        """Start it once now, under its overlap policy; None when that gave the start up.

        Also while it is paused. `args` replace some of the schedule's arguments; with
        `scheduled_for` the run is for that time, as if it had been started then.
        """
        if scheduled_for is not None and scheduled_for.tzinfo is None:
            raise BadOption("scheduled_for needs a zone")
        instant = None if scheduled_for is None else to_ms(scheduled_for)
        request_id = new_id()
        text = self._start_args(name, args)

        def start(tx: Tx, _: str) -> Triggered:
            return trigger(
                tx,
                name,
                namespace=self._here,
                request_id=request_id,
                compiled=self.compiled,
                new_id=new_id,
                args=text,
                instant=instant,
            )

        done = self._act("trigger", name, who, start, args=args)
        return None if done.run_id is None else Run(self._app, done.run_id)

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
        """Run it for past instants, from `start` (included) to `end` (not included).

        `reprocess` says which instants get a run: those that have none, also those that
        failed, or all. Its runs keep to the overlap policy of the schedule and give way to its
        other starts; with `parallel` it has so many places of its own instead. More than 10,000
        firings need a larger `most`.
        """
        wanted = backfill_body(
            start,
            end,
            reprocess=reprocess,
            newest_first=newest_first,
            parallel=parallel,
            args=None if args is None else msgspec.json.decode(self.merged(name, args)),
            most=most,
        )
        return self.backfills.start(name, wanted, who=who)

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

    @property
    def compiled(self) -> CompiledSchedules:
        """Compiled once for the threads of this process."""
        with self._compiling:
            if self._compiled is None:
                self._compiled = CompiledSchedules(rules_version(), random.random)
            return self._compiled

    @property
    def _here(self) -> str:
        return self._app.namespace

    def _put(self, tx: Tx, name: str, schedule: Schedule, job: str, who: str) -> ScheduleView:
        return engine.put(
            tx,
            name,
            schedule,
            namespace=self._here,
            job=job,
            origin="api",
            who=who,
            compiled=self.compiled,
            new_id=new_id,
        )

    def _checked(self, schedule: Schedule, job: str, *, by_hand: bool = False) -> Schedule:
        """Its job is on record, and its arguments fit it as far as this process knows it."""
        known = self._app.jobs.get(job)
        if known is None:
            found = self._app.store.read(lambda tx: current_specs(tx, [job], namespace=self._here))
            if job not in found:
                raise UnknownJob(job, self._app.jobs)
            check_schedule(schedule, found[job][1], by_hand=by_hand)
            return schedule
        self._app.define((known,))
        return fitting(schedule, known.spec, known.signature, by_hand=by_hand)

    def _start_args(self, name: str, args: Mapping[str, Any] | None) -> str | None:
        """Those of a start by hand; one that waits for an event is started without it."""
        if args is not None:
            return self.merged(name, args)
        schedule = self.show(name).schedule
        if schedule is not None and isinstance(schedule.trigger, OnEvent):
            return self.merged(name, {})
        return None

    def merged(self, name: str, args: Mapping[str, Any]) -> str:
        """The schedule's arguments with some replaced, checked, as JSON text."""
        view = self.show(name)
        if view.schedule is None:
            raise BadOption(f"schedule {name!r} cannot be read: {view.note}")
        merged = msgspec.structs.replace(view.schedule, args={**view.schedule.args, **args})
        return msgspec.json.encode(self._checked(merged, view.job, by_hand=True).args).decode()

    def _act(
        self, verb: str, name: str, who: str | None, work: Callable[[Tx, str], T], **detail: Any
    ) -> T:
        return act(self._app, f"{verb} schedule", name, work, who=who, detail=detail)
