"""Schedules as people see them: with their next instant, counters and last outcome."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Literal

import msgspec

from rota.engine.schedules.compiled import read_schedule, seed_of
from rota.errors import BadInput, BadOption, UnknownSchedule
from rota.model.schedule import Schedule
from rota.model.schedules.schedule import ScheduleState as ScheduleState  # noqa: PLC0414  # others import it here
from rota.rules.schedules.sentence import describe
from rota.store.base import Row, Tx

ScheduleOrigin = Literal["code", "file", "api"]


class ScheduleView(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule as people see it; times are milliseconds."""

    id: str
    name: str
    job: str
    schedule: Schedule | None
    """None when its text cannot be read any more; the note says why."""
    description: str
    """Its rule in words, with the times that H stands for; the note where it cannot be read."""
    origin: ScheduleOrigin
    app: str | None
    """The app whose code declares it, if that has a name."""
    revision: int
    state: ScheduleState
    note: str | None
    changed_by: str | None
    changed_at: int
    created_at: int
    next_at: int | None
    """Its next instant; None while it is paused, in error or ended."""
    last_at: int | None
    """The last instant that was dealt with."""
    blocked_by: str | None
    """With strict order: the failed run that has to be mended first."""
    running: int
    waiting: int
    fired: int
    missed: int
    skipped: int
    failures: int
    """Runs in a row that failed."""
    last_run: str | None
    last_state: str | None
    last_ended_at: int | None
    last_success: str | None
    last_success_at: int | None


def show(tx: Tx, name: str, *, namespace: str) -> ScheduleView:
    """One schedule; UnknownSchedule when there is none of that name."""
    row = tx.one("find_schedule", namespace=namespace, name=name)
    if row is None:
        raise UnknownSchedule(name)
    return _view(row)


def present(tx: Tx, name: str, *, namespace: str) -> Schedule | None:
    """What it says now; None when there is none of that name, or it cannot be read."""
    row = tx.one("find_schedule", namespace=namespace, name=name)
    return None if row is None else readable(row["spec"])


def schedules_named(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, str]:
    """Of these names those that schedules have, and the jobs they start."""
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
    """By name; `after` is the last name of the page before."""
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
    """The names of the schedules that the code of these jobs, or of this app, declared before."""
    rows = tx.all("declared_schedules", namespace=namespace, jobs=json.dumps(sorted(jobs)))
    if app is not None:
        rows += tx.all("owned_schedules", namespace=namespace, app=app)
    return sorted({row["name"] for row in rows})


def readable(text: str) -> Schedule | None:
    """None for a text that was broken since it was stored."""
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


def _view(row: Row) -> ScheduleView:
    facts = {name: row[name] for name in _COPIED}
    schedule = readable(row["spec"])
    return ScheduleView(
        id=str(row["id"]),
        schedule=schedule,
        description=_words(schedule, row),
        next_at=row["next_at"] if row["state"] == "active" else None,
        blocked_by=_id(row["blocked_by"]),
        last_run=_id(row["last_run"]),
        last_success=_id(row["last_success"]),
        **facts,
    )


_MADE = {"id", "schedule", "description", "next_at", "blocked_by", "last_run", "last_success"}
_COPIED = tuple(field for field in ScheduleView.__struct_fields__ if field not in _MADE)
