"""Stored schedules: put, remove, pause, resume, unblock, show.

A person's decision (a pause) outlives a new definition; the times of firing are recomputed only
when the timing changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from rota.engine.locks import lock_name
from rota.engine.runs.find import now_ms
from rota.engine.runs.finish import finish
from rota.engine.schedules.compiled import (
    CompiledSchedule,
    CompiledSchedules,
    StoredCalendar,
    seed_of,
    timing,
)
from rota.engine.schedules.fire import load_calendars
from rota.engine.schedules.starts import NewId
from rota.engine.schedules.views import readable, show
from rota.engine.wakeup_keys import LOOK
from rota.errors import NotAllowed, Outdated, UnknownSchedule
from rota.model.runs.run import Verdict
from rota.model.schedules.definitions import Schedule
from rota.model.schedules.schedule import ScheduleOrigin, ScheduleView
from rota.store.base import Row, Tx

REMOVED = "skipped: its schedule was removed"


def put(  # noqa: PLR0913  # a schedule, and whose it is
    tx: Tx,
    name: str,
    schedule: Schedule,
    *,
    namespace: str,
    job: str,
    origin: ScheduleOrigin,
    who: str,
    compiled: CompiledSchedules,
    new_id: NewId,
    app: str | None = None,
    is_new: bool = False,
) -> ScheduleView:
    """Store a schedule in place of any of this name; an identical one changes nothing.

    It never fires for instants before this moment, unless its `start` says so. With `is_new`,
    raises Outdated when there is already a schedule of that name.
    """
    if isinstance(schedule.calendar, str):  # lock it against changes meanwhile
        lock_name(tx, "calendar", schedule.calendar, namespace=namespace)
    plan = compiled.compile(
        schedule, seed=seed_of(namespace, name), calendars=calendars_of(tx, schedule, namespace)
    )
    facts = {
        "job": job,
        "spec": msgspec.json.encode(schedule).decode(),
        "origin": origin,
        "changed_by": who,
        "rules_version": plan.rules_version,
        "calendar": schedule.calendar if isinstance(schedule.calendar, str) else None,
        "pause_after": schedule.pause_after,
        "deadline": schedule.deadline,
        "is_strict": schedule.overlap == "strict",
        "follows_end": plan.follows_end,
        "event": plan.event,
        "app": app,
    }
    now = now_ms(tx)
    seed = seed_of(namespace, name)
    at = _times(plan, _first_cursor(plan, now), seed=seed, compiled=compiled)
    if schedule.is_paused:
        at |= {"state": "paused", "look_at": None}
    is_stored = tx.execute(
        "insert_schedule", id=new_id(), namespace=namespace, name=name, **at, **facts
    )
    if not is_stored and is_new:
        raise Outdated(f"there is a schedule {name} by now: choose another name, or change that")
    if not is_stored:
        _replace(tx, plan, facts, namespace=namespace, name=name, compiled=compiled)
    tx.notify((LOOK,))
    return show(tx, name, namespace=namespace)


def _replace(  # what is new, and where
    tx: Tx,
    plan: CompiledSchedule,
    facts: dict[str, Any],
    *,
    namespace: str,
    name: str,
    compiled: CompiledSchedules,
) -> None:
    row = _take(tx, name, namespace)
    old = readable(row["spec"])
    same = (row["job"], old, row["app"], row["state"] == "error")
    if same == (facts["job"], plan.schedule, facts["app"], False):
        return
    state, note = row["state"], None
    at: dict[str, Any] = {key: row[key] for key in ("cursor_at", "last_at", "next_at", "look_at")}
    is_moved = old is None or timing(old) != timing(plan.schedule)
    if is_moved or state in ("error", "ended"):
        cursor = max(row["cursor_at"], _first_cursor(plan, row["now"]))
        times = _times(plan, cursor, seed=seed_of(namespace, name), compiled=compiled)
        at = {"last_at": None} | times
        state = "paused" if state == "paused" else at.pop("state")
    if old is not None and old.is_paused != plan.schedule.is_paused:
        state = "paused" if plan.schedule.is_paused else "active"
    at.pop("state", None)
    if state == "paused":
        at["look_at"] = row["look_at"] if row["state"] == "paused" else None
        note = row["note"] if row["state"] == "paused" else None
    elif state == "active":
        at["look_at"] = row["now"]  # the new policy counts for waiting runs
    resumes = row["state"] == "paused" and state == "active"
    tx.execute(
        "replace_schedule",
        id=row["id"],
        state=state,
        note=note,
        late_until=row["now"] if resumes else row["late_until"],
        **at,
        **facts,
    )


def _first_cursor(plan: CompiledSchedule, now: int) -> int:
    """The first cursor: now, or just before a past start, so that `catchup` decides about it."""
    start = plan.start_at
    return now if start is None else min(now, start - 1)


def _times(
    plan: CompiledSchedule, cursor: int, *, seed: str, compiled: CompiledSchedules
) -> dict[str, Any]:
    next_at = plan.table.after(cursor)
    if next_at is None:
        state = "ended" if plan.event is None else "active"
        return {"cursor_at": cursor, "next_at": None, "look_at": None, "state": state}
    look_at = compiled.look_at(plan, next_at, seed=seed)
    return {"cursor_at": cursor, "next_at": next_at, "look_at": look_at, "state": "active"}


def calendars_of(tx: Tx, schedule: Schedule, namespace: str) -> Mapping[str, StoredCalendar]:
    """The stored calendar that a schedule names, by name; empty if it names none."""
    if not isinstance(schedule.calendar, str):
        return {}
    row = {"namespace": namespace, "calendar": schedule.calendar}
    return load_calendars(tx, [row]).get(namespace, {})


def remove(tx: Tx, name: str, *, namespace: str) -> None:
    """Remove a schedule: it stops firing, its waiting runs are skipped, its running ones go on."""
    row = _take(tx, name, namespace)
    waiting = tx.all("waiting_runs", ids=json.dumps([str(row["id"])]))
    tx.execute("end_backfills", schedule_id=row["id"], note="its schedule was removed")
    tx.execute("delete_schedule", id=row["id"])
    verdicts = [
        Verdict(run_id=str(each["id"]), fence=each["fence"], verb="skip", reason=REMOVED)
        for each in waiting
    ]
    if verdicts:
        finish(tx, verdicts, namespace=namespace)


def pause(tx: Tx, name: str, *, namespace: str, who: str, note: str | None = None) -> bool:
    """Stop starts by time and by events, including waiting ones; starts by hand stay possible.

    False if it is paused already, with the same note.
    """
    row = _take(tx, name, namespace)
    if row["state"] == "paused" and row["note"] == note:
        return False
    if row["state"] in ("error", "ended"):
        raise NotAllowed(f"schedule {name!r} is in state {row['state']}; there is nothing to pause")
    waits = tx.all("waiting_runs", ids=json.dumps([str(row["id"])]))
    tx.execute(
        "hold_schedule",
        id=row["id"],
        state="paused",
        note=note,
        changed_by=who,
        late_until=row["late_until"],
        clears=False,
        look_at=row["now"] if waits else None,
    )
    return True


def resume(tx: Tx, name: str, *, namespace: str, who: str) -> bool:
    """Resume a schedule, even after an error; `catchup` decides about instants missed meanwhile.

    With strict order this also unblocks the schedule. False when it is already active.
    """
    row = _take(tx, name, namespace)
    if row["state"] == "active":
        return False
    if row["state"] == "ended":
        raise NotAllowed(f"schedule {name!r} has ended; give it later times, or a larger count")
    tx.execute(
        "hold_schedule",
        id=row["id"],
        state="active",
        note=None,
        changed_by=who,
        late_until=row["now"],
        clears=True,
        look_at=row["now"],
    )
    tx.notify((LOOK,))
    return True


def lock(tx: Tx, name: str, *, namespace: str) -> bool:
    """Lock a schedule until this transaction ends; False when there is none of that name."""
    return tx.one("take_schedule", namespace=namespace, name=name) is not None


def unblock(tx: Tx, name: str, *, namespace: str, who: str) -> bool:
    """Let a schedule with strict order go on although a run has failed; False if none blocks it."""
    row = _take(tx, name, namespace)
    if row["blocked_by"] is None:
        return False
    tx.execute("unblock_schedule", id=row["id"], changed_by=who)
    tx.notify((LOOK,))
    return True


def _take(tx: Tx, name: str, namespace: str) -> Row:
    row = tx.one("take_schedule", namespace=namespace, name=name)
    if row is None:
        raise UnknownSchedule(name)
    return row
