"""Fire: start the runs of schedules that are due, each instant once.

Any number of processes may fire at once: a schedule is locked while it is processed, its cursor
only ever grows, and the unique key of a firing backs up both. A row that cannot be understood goes
to the state `error` and does not keep the others from firing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import msgspec

from rota.engine.admission.windows import Blackouts, load_blackouts, outside_windows
from rota.engine.failures.batch_isolation import beside, each_apart, set_aside, words
from rota.engine.schedules.compiled import (
    CompiledSchedule,
    CompiledSchedules,
    StoredCalendar,
    seed_of,
)
from rota.engine.schedules.new_run import ScheduledStart, spec_of, with_times
from rota.engine.schedules.starts import NewId, StartRequest, StartResult, begin, stop_old
from rota.engine.values.stored_text import read
from rota.errors import BadInput, UnknownJob
from rota.model.schedules.definitions import Calendar
from rota.rules.schedules.misfire import Due, before, due
from rota.store.base import Row, Tx

MOST_STARTS = 1_000
"""The most instants of one schedule in one pass; the rest comes in the next pass."""
_calendar = msgspec.json.Decoder(Calendar)

_Memory = dict[tuple[object, ...], Due]
"""Cached within one pass: many schedules have the same expression, zone and cursor."""

Calendars = Mapping[str, Mapping[str, StoredCalendar]]
"""The named calendars of each namespace."""


class FireResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one pass."""

    looked: int
    """The number of schedules processed; equal to the limit when there may be more."""
    runs: int = 0
    due: int = 0
    """When the last of them is due, and the time until then; for a pass ahead of time."""
    early_ms: int = 0
    broken: tuple[tuple[str, str], ...] = ()
    """The schedules that could not be understood, with the reasons."""


class NextLook(msgspec.Struct, frozen=True, kw_only=True):
    """The time until the next pass, and how many schedules are due then or a little later."""

    wait_ms: int
    crowd: int


class _Look(msgspec.Struct, frozen=True, kw_only=True):
    """One schedule, its plan, and its due instants."""

    row: Row
    plan: CompiledSchedule | None
    due: Due
    note: str | None = None

    @property
    def seed(self) -> str:
        return seed_of(self.row["namespace"], self.row["name"])


class _Moved(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    state: str
    note: str | None
    rules_version: str
    cursor_at: int
    last_at: int | None
    next_at: int | None
    look_at: int | None
    fired: int
    missed: int
    is_missed: bool
    skipped: int


def fire(
    tx: Tx, *, limit: int, compiled: CompiledSchedules, new_id: NewId, ahead_ms: int = 0
) -> FireResult:
    """Fire up to `limit` due schedules of all namespaces, longest due first.

    Includes schedules due within `ahead_ms`, for a caller that commits only when they are due.
    """
    rows = tx.all("take_schedules", limit=limit, ahead_ms=ahead_ms)
    if not rows:
        return FireResult(looked=0)
    if not tx.is_careful:
        return _fire(tx, rows, compiled, new_id)
    fired = each_apart(
        tx,
        rows,
        lambda row: _fire(tx, [row], compiled, new_id),
        instead=lambda row, error: _break(tx, row, error, compiled),
    )
    return FireResult(
        looked=len(rows),
        due=max(each.due for each in fired),
        early_ms=max(each.early_ms for each in fired),
        runs=sum(each.runs for each in fired),
        broken=tuple(broken for each in fired for broken in each.broken),
    )


def _break(tx: Tx, row: Row, error: Exception, compiled: CompiledSchedules) -> FireResult:
    """Set a schedule that raised while firing to `error`, like one that cannot be read."""
    look = _Look(row=row, plan=None, due=Due(cursor=row["cursor_at"]), note=words(error))
    moved = msgspec.json.encode([_moved(look, None, compiled)]).decode()
    beside(tx, lambda: tx.execute("move_schedules", batch=moved), what=f"schedule {row['name']}")
    return FireResult(
        looked=1,
        due=row["look_at"],
        early_ms=row["look_at"] - row["now"],
        broken=((row["name"], look.note or ""),),
    )


def _fire(tx: Tx, rows: Sequence[Row], compiled: CompiledSchedules, new_id: NewId) -> FireResult:
    calendars = load_calendars(tx, rows)
    memory: _Memory = {}
    looks = [_look(row, compiled, calendars, memory) for row in rows]
    windows = load_blackouts(tx, rows)
    asks: list[StartRequest] = []
    for place, look in enumerate(looks):
        try:
            ask = _ask(look, windows)
            asks += [] if ask is None else [ask]
        except BadInput as error:  # a time in its arguments has no value; others still fire
            looks[place] = _broken(look.row, error)
    begun = begin(tx, asks, new_id=new_id)
    moved = [_moved(look, begun.get(str(look.row["id"])), compiled) for look in looks]
    tx.execute("move_schedules", batch=msgspec.json.encode(moved).decode())
    stop_old(tx, begun.values())
    return FireResult(
        looked=len(rows),
        due=max(row["look_at"] for row in rows),
        early_ms=max(row["look_at"] - row["now"] for row in rows),
        runs=sum(each.run_id is not None for one in begun.values() for each in one.made),
        broken=tuple((look.row["name"], look.note) for look in looks if look.note is not None),
    )


def next_look(tx: Tx, *, within_ms: int = 0) -> NextLook | None:
    """When a schedule or a backfill is due next; None if none will be."""
    row = tx.one("next_look", within_ms=within_ms)
    if row is None or row["wait_ms"] is None:
        return None
    return NextLook(wait_ms=row["wait_ms"], crowd=row["crowd"])


def load_calendars(tx: Tx, rows: Sequence[Row]) -> Calendars:
    """The named calendars that these schedules may use, by namespace and name."""
    namespaces = sorted({row["namespace"] for row in rows if row["calendar"] is not None})
    found: dict[str, dict[str, StoredCalendar]] = {}
    if namespaces:
        for row in tx.all("load_calendars", namespaces=json.dumps(namespaces)):
            try:
                calendar = read(_calendar, row["spec"], f"calendar {row['name']}")
            except BadInput as error:
                # Schedules that need it report it as missing; the others go on.
                set_aside(f"calendar {row['name']}", error)
                continue
            stored = StoredCalendar(row["version"], calendar)
            found.setdefault(row["namespace"], {})[row["name"]] = stored
    return found


def _look(row: Row, compiled: CompiledSchedules, calendars: Calendars, memory: _Memory) -> _Look:
    # A pass ahead of time works as if that time had come already.
    now = max(row["now"], row["look_at"] or 0)
    row = {**row, "id": str(row["id"]), "now": now}  # as text once: it is read eight times
    seed = seed_of(row["namespace"], row["name"])
    try:
        plan = plan_of(row, compiled, calendars)
        return _Look(row=row, plan=plan, due=_due(row, plan, seed, memory))
    except Exception as error:  # noqa: BLE001  # the others fire after any error
        return _broken(row, error)


def _broken(row: Row, error: Exception) -> _Look:
    """The look at a schedule that cannot fire, with the reason."""
    return _Look(row=row, plan=None, due=Due(cursor=row["cursor_at"]), note=words(error))


def plan_of(row: Row, compiled: CompiledSchedules, calendars: Calendars) -> CompiledSchedule:
    """The plan of a schedule; BadInput when it cannot be understood or its job is unknown."""
    if row["version"] is None:
        raise UnknownJob(row["job"])
    if row.get("job_spec") is not None:
        spec_of(row["job_spec"])
    return compiled.plan(
        row["spec"],
        seed=seed_of(row["namespace"], row["name"]),
        calendars=calendars.get(row["namespace"], {}),
    )


def _due(row: Row, plan: CompiledSchedule, seed: str, memory: _Memory) -> Due:
    if row["state"] != "active":
        return Due(cursor=row["cursor_at"], next=row["next_at"])
    most = _most(row, plan)
    if most == 0:
        return Due(cursor=row["cursor_at"])
    if plan.follows_end:
        return _due_after_end(row, plan)
    # With rules of another version the stored time may be wrong: it is computed again.
    asked = {
        "cursor": row["cursor_at"],
        "now": row["now"],
        "seed": seed if plan.lateness.jitter_ms else "",
        "late_until": row["late_until"] or 0,
        "most": most,
        "first": row["next_at"] if row["rules_version"] == plan.rules_version else None,
    }
    key = id(plan.table), plan.lateness, *asked.values()
    if key not in memory:
        memory[key] = due(plan.table, rule=plan.lateness, **asked)
    return memory[key]


def _due_after_end(row: Row, plan: CompiledSchedule) -> Due:
    """The due instants counted from the last end; the overlap policy handles a live run."""
    at = plan.table.after(max(row["cursor_at"], row["last_ended_at"] or 0))
    if at is None or at > row["now"]:
        return Due(cursor=row["cursor_at"], last=None, next=at)
    return Due(starts=(at,), cursor=at, last=at)


def _most(row: Row, plan: CompiledSchedule) -> int:
    """How many firings are left; zero when starts by hand have used up the count."""
    count = plan.schedule.count
    return MOST_STARTS if count is None else max(0, min(MOST_STARTS, count - row["fired"]))


def _ask(look: _Look, windows: Blackouts) -> StartRequest | None:
    """The start request of a schedule; None if it cannot be understood."""
    row = look.row
    if look.plan is None:
        return None
    starts: list[ScheduledStart] = []
    held: list[ScheduledStart] = []
    mine = windows.get(row["namespace"], ())
    queue = spec_of(row["job_spec"]).queue
    start_at = row["last_at"]
    for instant in look.due.starts:
        if start_at is None or (look.due.missed and instant == look.due.starts[0]):
            start_at = before(look.plan.table, instant) if not look.plan.follows_end else None
        start = ScheduledStart(instant=instant, interval_start=start_at, interval_end=instant)
        free = outside_windows(mine, start, job=row["job"], queue=queue, now=row["now"])
        (held if free is None else starts).append(with_times(row, look.plan, free or start))
        start_at = instant
    # This pass was requested before the time of the next start: a start may be waiting.
    is_asked = not starts or (row["next_at"] or 0) > (row["look_at"] or 0)
    return StartRequest(row=row, plan=look.plan, starts=starts, held=held, waits=is_asked)


def _moved(look: _Look, begun: StartResult | None, compiled: CompiledSchedules) -> _Moved:
    row, plan = look.row, look.plan
    state, next_at = row["state"], look.due.next
    look_at: int | None = None
    if plan is None:
        state, next_at = "error", None
    elif state == "active":
        counted = row["fired"] + (begun.fired if begun else 0)
        is_full = plan.schedule.count is not None and counted >= plan.schedule.count
        if is_full or (next_at is None and not (plan.follows_end or plan.event)):
            state, next_at = "ended", None
        elif look.due.has_more:
            look_at = row["now"]
        elif next_at is not None:
            look_at = compiled.look_at(plan, next_at, seed=look.seed)
        elif begun is not None and not begun.running and not begun.waiting:
            # It counts from an end, but a maintenance window held it back: no run is there to end.
            look_at = next_at = plan.table.after(row["now"])
    return _Moved(
        id=str(row["id"]),
        state=state,
        note=look.note,
        rules_version=plan.rules_version if plan else row["rules_version"],
        cursor_at=look.due.cursor,
        last_at=row["last_at"] if look.due.last is None else look.due.last,
        next_at=next_at,
        look_at=look_at,
        fired=begun.fired if begun else 0,
        missed=look.due.missed,
        is_missed=look.due.missed > 0 and (look.due.last or 0) > (row["late_until"] or 0),
        skipped=begun.skipped if begun else 0,
    )
