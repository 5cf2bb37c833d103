"""Views of schedules for people: with their next instant, counters and last outcome."""

from __future__ import annotations

import json
from collections.abc import Collection

import msgspec

from rota.clock import moment
from rota.engine.schedules.compiled import read_schedule, seed_of
from rota.errors import BadInput, BadOption, UnknownSchedule
from rota.model.schedules.definitions import Cron, Every, OnEvent, Schedule, Trigger
from rota.model.schedules.schedule import ScheduleState, ScheduleView
from rota.model.view import view_of
from rota.rules.schedules.sentence import describe
from rota.store.base import Row, Tx


def show(tx: Tx, name: str, *, namespace: str) -> ScheduleView:
    """One schedule; UnknownSchedule when there is none of that name."""
    row = tx.one("find_schedule", namespace=namespace, name=name)
    if row is None:
        raise UnknownSchedule(name)
    return _view(row)


def present(tx: Tx, name: str, *, namespace: str) -> Schedule | None:
    """The stored schedule; None when there is none of that name, or it cannot be read."""
    row = tx.one("find_schedule", namespace=namespace, name=name)
    return None if row is None else readable(row["spec"])


def schedules_named(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, str]:
    """The names that schedules have, among these names, and the jobs they start."""
    rows = tx.all(
        "bundled_schedules", namespace=namespace, jobs="[]", names=json.dumps(sorted(names))
    )
    return {row["name"]: row["job"] for row in rows}


def schedules(  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    job: str | None = None,
    state: ScheduleState | None = None,
    after: str = "",
    limit: int = 50,
) -> list[ScheduleView]:
    """A page of schedules by name; `after` is the last name of the page before."""
    rows = tx.all(
        "list_schedules",
        namespace=namespace,
        job=job,
        state=state,
        after=after,
        limit=limit,
    )
    return [_view(row) for row in rows]


def declared(tx: Tx, jobs: Collection[str], *, namespace: str, app: str | None = None) -> list[str]:
    """The names of the schedules that the code of these jobs, or of this app, declared earlier."""
    rows = tx.all("declared_schedules", namespace=namespace, jobs=json.dumps(sorted(jobs)))
    if app is not None:
        rows += tx.all("owned_schedules", namespace=namespace, app=app)
    return sorted({row["name"] for row in rows})


def readable(text: str) -> Schedule | None:
    """The parsed schedule; None for a text that was broken after it was stored."""
    try:
        return read_schedule(text)
    except BadOption:
        return None


def _id(value: object) -> str | None:
    return str(value) if value else None


def _words(schedule: Schedule | None, row: Row) -> str:
    try:
        if schedule is not None:
            return describe(schedule, seed=seed_of(row["namespace"], row["name"]))
    except BadInput:  # it was understood when it was stored
        pass
    return row["note"] or ""


def _trigger_text(trigger: Trigger) -> str:
    """The trigger as a person would write it in one line, if that is possible."""
    match trigger:
        case Cron():
            return trigger.expression
        case Every(anchor=None, from_end=False):
            return f"@every {trigger.every}"
        case OnEvent():
            return f"@event {trigger.event}"
    return msgspec.json.encode(trigger).decode()


def _view(row: Row) -> ScheduleView:
    schedule = readable(row["spec"])
    is_active = row["state"] == "active" and row["next_at"] is not None
    return view_of(
        ScheduleView,
        row,
        id=str(row["id"]),
        schedule=schedule,
        trigger=_trigger_text(schedule.trigger) if schedule else "",
        description=_words(schedule, row),
        zone=schedule.zone if schedule else "",
        overlap=schedule.overlap if schedule else None,
        catchup=schedule.catchup if schedule else None,
        next_at=moment(row["next_at"]) if is_active else None,
        blocked_by=_id(row["blocked_by"]),
        last_run=_id(row["last_run"]),
        last_success=_id(row["last_success"]),
    )
