"""Plan what a bundle changes in the store, and which future runs that moves.

Planning is pure: people see the plan of the same function that the transaction applies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rota.clock import moment
from rota.errors import BadInput, BadOption
from rota.model.graphs.graph import Graph
from rota.model.jobs.apply_plan import (
    Change,
    FieldChange,
    Kind,
    Leftover,
    Plan,
    RunChange,
    Stored,
    StoredSchedule,
    Verb,
    Wish,
)
from rota.model.jobs.bundle import Bundle, BundledSchedule
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.model.schedules.definitions import Calendar, Every, Schedule
from rota.rules.admission.dependencies import check_circles, check_there
from rota.rules.alerts.file_checks import shown_change
from rota.rules.failures.on_failure import check_told
from rota.rules.graphs.known import check_known
from rota.rules.jobs.breakage import check_others
from rota.rules.jobs.differences import differences
from rota.rules.schedules.moved_runs import paired
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.triggers import compile_schedule

MAX_FIRINGS = 1_000
"""Firings compared per schedule; one that fires more often is compared up to this number."""
MAX_RUNS = 20_000
"""The most runs that a plan lists, for all schedules together."""
LATEST_MS = 253_370_764_800_000
"""The year 9999: no clock shows what comes after it."""
SHARED = "file:"


def origin_of(bundle: Bundle) -> str:
    """Return the mark that the store puts on jobs of a bundle."""
    return f"{SHARED}{bundle.name}"


def make_plan(
    bundles: Sequence[Bundle], stored: Stored, wish: Wish, *, seed: Callable[[str], str]
) -> Plan:
    """Compare bundles with the store; BadOption if another owner, or two bundles, define a name."""
    return _Planner(bundles, stored, wish, seed).plan()


class _Planner:
    """Gathers the changes of one plan."""

    def __init__(
        self,
        bundles: Sequence[Bundle],
        stored: Stored,
        wish: Wish,
        seed: Callable[[str], str],
    ) -> None:
        self._stored = stored
        self._wish = wish
        self._start = stored.now if wish.start is None else wish.start
        if not 0 <= self._start <= self._start + wish.horizon_ms <= LATEST_MS:
            raise BadOption("runs are compared between the years 1970 and 9999")
        self._seed = seed
        self._jobs = _merge("job", bundles, lambda each: each.jobs)
        self._schedules = _merge("schedule", bundles, lambda each: each.schedules)
        self._calendars = _merge("calendar", bundles, lambda each: each.calendars)
        self._blackouts = _merge("blackout", bundles, lambda each: each.blackouts)
        self._channels = _merge("alert channel", bundles, lambda each: each.channels)
        self._alert_rules = _merge("alert rule", bundles, lambda each: each.alert_rules)
        self._places = {name: at for each in bundles for name, at in each.places.items()}
        self._origins = {name: origin_of(each) for each in bundles for name in each.jobs}
        self._ours = {origin_of(each) for each in bundles}
        self._changes: list[Change] = []
        self._unchanged = 0
        self._runs: list[RunChange] = []
        self._cut: list[str] = []

    def plan(self) -> Plan:
        every_spec = {**self._stored.others, **self._jobs}
        check_known(graphs_of(self._jobs.values()), every_spec, self._places)
        check_there(self._jobs, every_spec, self._places)
        if any(spec.dependencies for spec in self._jobs.values()):
            check_circles(every_spec, self._places)
        check_told(self._jobs, every_spec, where="in the files or on record", places=self._places)
        for name, calendar in self._calendars.items():
            self._compare("calendar", name, self._stored.calendars.get(name), calendar)
        for name, blackout in self._blackouts.items():
            self._compare("blackout", name, self._stored.blackouts.get(name), blackout)
        self._alerts()
        for name, spec in self._jobs.items():
            self._job(name, spec)
        for name, bundled in self._schedules.items():
            self._schedule(name, bundled)
        leftovers = self._leftovers()
        self._check_others(leftovers)
        if self._wish.prune:
            for each in leftovers:
                self._changes.append(Change(kind=each.kind, name=each.name, verb="remove"))
                if each.kind == "schedule":
                    self._move(each.name, self._stored.schedules[each.name], None)
        return Plan(
            changes=tuple(self._changes),
            unchanged=self._unchanged,
            leftovers=() if self._wish.prune else tuple(leftovers),
            runs=tuple(self._runs),
            until=moment(self._start + self._wish.horizon_ms),
            cut=tuple(self._cut),
        )

    def _alerts(self) -> None:
        for name, channel in self._channels.items():
            had, has, hidden = shown_change(self._stored.channels.get(name), channel)
            self._compare("alert channel", name, had, has, hidden)
        for name, rule in self._alert_rules.items():
            self._compare("alert rule", name, self._stored.alert_rules.get(name), rule)

    def _check_others(self, leftovers: Sequence[Leftover]) -> None:
        removed = {(each.kind, each.name) for each in leftovers if self._wish.prune}
        before = self._stored.others
        stay = {name: spec for name, spec in before.items() if ("job", name) not in removed}
        check_others(
            before,
            {**stay, **self._jobs},
            {
                name: each
                for name, each in self._stored.schedules.items()
                if name not in self._schedules and ("schedule", name) not in removed
            },
            names=self._jobs,
            places=self._places,
            owners={name: _owner(origin) for name, origin in self._stored.origins.items()},
        )

    def _job(self, name: str, spec: JobSpec) -> None:
        stored = self._stored.jobs.get(name)
        origin = self._origins[name]
        kind: Kind = "graph" if isinstance(spec.target, GraphTarget) else "job"
        if stored is None:
            self._changes.append(Change(kind=kind, name=name, verb="add"))
            return
        extra = []
        if stored.origin != origin:
            if not self._wish.take_over:
                raise BadOption(
                    f"job {name!r} belongs to {_owner(stored.origin)}; give it another name, or "
                    "say --take-over if this file has it from now on"
                )
            extra = [FieldChange(field="origin", old=stored.origin, new=origin)]
        self._compare(kind, name, stored.spec, spec, extra)

    def _schedule(self, name: str, bundled: BundledSchedule) -> None:
        stored = self._stored.schedules.get(name)
        if stored is None:
            self._changes.append(Change(kind="schedule", name=name, verb="add"))
            self._move(name, None, bundled)
            return
        if (stored.job != bundled.job or stored.origin != "file") and not self._wish.take_over:
            whose = "" if stored.origin == "file" else f" and comes from {_owner(stored.origin)}"
            raise BadOption(
                f"a schedule named {name!r} is there already: it starts job {stored.job!r}{whose}; "
                "give this one a name:, or say --take-over"
            )
        extra = []
        if stored.job != bundled.job:
            extra = [FieldChange(field="job", old=stored.job, new=bundled.job)]
        if stored.origin != "file":
            extra.append(FieldChange(field="origin", old=stored.origin, new="file"))
        is_new = self._compare("schedule", name, stored.schedule, bundled.schedule, extra)
        if is_new or bundled.schedule.calendar in self._changed_calendars():
            self._move(name, stored, bundled)

    def _compare(
        self,
        kind: Kind,
        name: str,
        old: msgspec.Struct | None,
        new: msgspec.Struct,
        extra: Iterable[FieldChange] = (),
    ) -> bool:
        fields = (*extra, *differences(old, new))
        if old is not None and not fields:
            self._unchanged += 1
            return False
        verb: Verb = "add" if old is None and kind != "schedule" else "change"
        shown = () if verb == "add" else fields
        self._changes.append(Change(kind=kind, name=name, verb=verb, fields=shown))
        return True

    def _changed_calendars(self) -> set[object]:
        return {change.name for change in self._changes if change.kind == "calendar"}

    def _leftovers(self) -> list[Leftover]:
        jobs = [
            name
            for name, job in self._stored.jobs.items()
            if job.origin in self._ours and name not in self._jobs
        ]
        ours = {*jobs, *self._jobs}
        # A job that goes takes all its schedules along, whoever made them.
        schedules = [
            name
            for name, each in self._stored.schedules.items()
            if name not in self._schedules
            and (each.job in jobs or (each.origin == "file" and each.job in ours))
        ]
        return [
            *(Leftover(kind="schedule", name=name) for name in schedules),
            *(Leftover(kind="job", name=name) for name in jobs),
        ]

    def _move(
        self, name: str, stored: StoredSchedule | None, bundled: BundledSchedule | None
    ) -> None:
        """Add the runs that a schedule loses and gains until the horizon."""
        if len(self._runs) >= MAX_RUNS:
            self._cut.append(name)
            return
        old = stored.schedule if stored and stored.state == "active" else None
        new = bundled.schedule if bundled and not _stays_paused(stored, bundled) else None
        calendars = {**self._stored.calendars, **self._calendars}
        before, had_more = self._firings(name, old, self._stored.calendars)
        after, has_more = self._firings(name, new, calendars)
        if had_more or has_more:
            self._cut.append(name)
            end = min(times[-1] for times, more in ((before, had_more), (after, has_more)) if more)
            before = [at for at in before if at <= end]
            after = [at for at in after if at <= end]
        where = (new or old or Schedule(trigger=Every(every="1d"))).zone
        self._runs += paired(name, before, after, where)

    def _firings(
        self, name: str, schedule: Schedule | None, calendars: Mapping[str, Calendar]
    ) -> tuple[list[int], bool]:
        if schedule is None or schedule.is_paused or _follows_runs(schedule):
            return [], False
        try:
            table = compile_schedule(schedule, seed=self._seed(name), calendars=calendars)
        except BadInput:  # of an old one: what it says now is what counts
            return [], False
        most = min(MAX_FIRINGS, schedule.count or MAX_FIRINGS)
        instants: list[int] = []
        for at in firings(table, self._start, self._start + self._wish.horizon_ms):
            if len(instants) == most:
                return instants, most == MAX_FIRINGS
            instants.append(at)
        return instants, False


def graphs_of(specs: Iterable[JobSpec]) -> list[Graph]:
    """Return the graphs among these jobs."""
    return [spec.target.graph for spec in specs if isinstance(spec.target, GraphTarget)]


def _owner(origin: str) -> str:
    if origin.startswith(SHARED):
        return f"the file {origin.removeprefix(SHARED)}"
    return {"code": "Python code", "api": "the API"}.get(origin, origin)


def _merge(
    kind: str, bundles: Sequence[Bundle], part: Callable[[Bundle], Mapping[str, Any]]
) -> Any:
    merged: dict[str, Any] = {}
    for bundle in bundles:
        for name, each in part(bundle).items():
            if name in merged:
                raise BadOption(f"{kind} {name!r} is defined by two of the files")
            merged[name] = each
    return merged


def _stays_paused(stored: StoredSchedule | None, bundled: BundledSchedule) -> bool:
    """Whether a schedule stays paused: a person's pause outlives a new definition."""
    if stored is None or stored.state != "paused":
        return False
    was_said = stored.schedule is not None and stored.schedule.is_paused
    return not was_said or bundled.schedule.is_paused


def _follows_runs(schedule: Schedule) -> bool:
    return isinstance(schedule.trigger, Every) and schedule.trigger.from_end
