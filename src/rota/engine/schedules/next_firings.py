"""The next firings of one schedule, with special marks such as clock changes."""

from __future__ import annotations

from rota.clock import moment
from rota.engine.runs.find import now_ms
from rota.engine.schedules.compiled import CompiledSchedules, seed_of
from rota.engine.schedules.definitions import calendars_of
from rota.model.schedules.firing import Mark, NextFiring
from rota.model.schedules.schedule import ScheduleView
from rota.rules.schedules.preview import Firing, preview
from rota.store.base import Tx


def coming(
    tx: Tx, view: ScheduleView, *, namespace: str, compiled: CompiledSchedules, count: int
) -> list[NextFiring]:
    """The next `count` firings; none once it has ended, or when its text cannot be read."""
    schedule = view.schedule
    if schedule is None or view.state == "ended":
        return []
    if schedule.count is not None:
        count = min(count, schedule.count - view.fired)
    if count < 1:
        return []
    calendars = calendars_of(tx, schedule, namespace)
    plan = compiled.compile(schedule, seed=seed_of(namespace, view.name), calendars=calendars)
    firings = preview(schedule, plan.table, after=now_ms(tx), count=count)
    return [next_firing(each) for each in firings]


def next_firing(firing: Firing) -> NextFiring:
    """The view of a firing for people."""
    return NextFiring(
        at=moment(firing.at), wall=firing.wall, mark=mark_of(firing.marks), marks=firing.marks
    )


def mark_of(marks: tuple[str, ...]) -> Mark | None:
    """The kind of mark that the words about a firing belong to."""
    text = " ".join(marks)
    if "does not exist" in text:
        return "gap"
    if "comes twice" in text:
        return "fold"
    return "holiday" if marks else None
