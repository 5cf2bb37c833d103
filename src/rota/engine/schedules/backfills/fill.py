"""Backfill: run the past instants of a schedule, a few at a time, each instant once.

A backfill is a row with an edge that moves through its range. Runs are made when a place is free,
so that a range of a year fills no queue; a half-done backfill continues from the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from rota.clock import moment
from rota.engine.admission.overlap import free_places
from rota.engine.admission.windows import load_blackouts, window_at
from rota.engine.failures.batch_isolation import beside, each_apart, words
from rota.engine.jobs.weights import weighed
from rota.engine.runs.submit import submit
from rota.engine.schedules.backfills.instants import is_wanted, last_runs, next_instants
from rota.engine.schedules.backfills.span import KEEPS, MOST, BackfillRange, total_of
from rota.engine.schedules.backfills.views import show_backfill
from rota.engine.schedules.compiled import CompiledSchedule, CompiledSchedules
from rota.engine.schedules.fire import load_calendars, plan_of
from rota.engine.schedules.new_run import ScheduledStart, new_run, spec_of, with_times
from rota.engine.schedules.starts import NewId, StartedRun
from rota.engine.wakeup_keys import LOOK
from rota.errors import BadInput, NotAllowed, UnknownSchedule
from rota.model.runs.run import NewRun
from rota.model.schedules.backfill import BackfillInstant, BackfillView
from rota.rules.schedules.misfire import before
from rota.store.base import Row, Tx

CHUNK = 100
"""The most instants that one pass considers."""
HELD_MS = 60_000
"""How often a backfill checks whether the current maintenance window has ended."""
BUSY_MS = 20
"""When to retry while another transaction has locked its schedule."""
CROWDED_MS = 1_000
"""How often it checks for a free place while other runs of its schedule have them all."""


def preview_backfill(  # noqa: PLR0913  # a range, and whose it is
    tx: Tx,
    name: str,
    span: BackfillRange,
    *,
    namespace: str,
    compiled: CompiledSchedules,
    most: int = MOST,
    limit: int = 100,
) -> list[BackfillInstant]:
    """Preview the first instants of a backfill's range; refuses the ranges a backfill refuses."""
    row, plan = _base(tx, name, namespace, compiled)
    span = msgspec.structs.replace(span, to_at=_end(row, span))
    total_of(plan, span, span.to_at, most)
    edge = span.to_at if span.newest_first else span.from_at - 1
    instants = next_instants(plan, span, edge, limit)
    earlier_runs = last_runs(tx, row["id"], instants)
    return [
        BackfillInstant(
            instant=moment(instant),
            starts=is_wanted(span.reprocess, earlier_runs.get(instant)),
            state=earlier_runs[instant]["state"] if instant in earlier_runs else None,
        )
        for instant in instants
    ]


def count_backfill(  # a range, and whose it is
    tx: Tx,
    name: str,
    span: BackfillRange,
    *,
    namespace: str,
    compiled: CompiledSchedules,
    most: int = MOST,
) -> int:
    """The number of instants in the range; refuses the ranges a backfill refuses."""
    row, plan = _base(tx, name, namespace, compiled)
    return total_of(plan, span, _end(row, span), most)


def start_backfill(  # noqa: PLR0913  # a range, and whose it is
    tx: Tx,
    name: str,
    span: BackfillRange,
    *,
    namespace: str,
    backfill_id: str,
    compiled: CompiledSchedules,
    most: int = MOST,
) -> BackfillView:
    """Start a backfill, for the schedulers to work on; the same id sent twice starts it once.

    Refuses more than `most` firings, so that nobody requests a million by accident.
    """
    row, plan = _base(tx, name, namespace, compiled)
    to_at = _end(row, span)
    total = total_of(plan, span, to_at, most)
    tx.execute(
        "insert_backfill",
        id=backfill_id,
        namespace=namespace,
        schedule_id=row["id"],
        from_at=span.from_at,
        to_at=to_at,
        newest_first=span.newest_first,
        reprocess=span.reprocess,
        parallel=KEEPS if span.parallel is None else span.parallel,
        args=span.args,
        total=total,
        edge_at=to_at if span.newest_first else span.from_at - 1,
    )
    tx.notify((LOOK,))
    return show_backfill(tx, backfill_id, namespace=namespace)


def _end(row: Row, span: BackfillRange) -> int:
    """The end of the range, at most now: due instants that fire in a moment are not missing."""
    to_at: int = min(span.to_at, row["now"] + 1)
    return min(to_at, row["cursor_at"] + 1) if row["state"] == "active" else to_at


def fill(tx: Tx, *, limit: int, compiled: CompiledSchedules, new_id: NewId) -> int:
    """Check up to `limit` backfills and start runs in free places; return how many were checked.

    Locks the schedule, because another backfill of it or a caught-up firing would make the same
    instants. Never waits for this lock, because a transaction that ends a run locks in the other
    order.
    """
    rows = tx.all("take_backfills", limit=limit)
    if not tx.is_careful:
        for row in rows:
            _look(tx, row, compiled, new_id)
        return len(rows)
    each_apart(
        tx,
        rows,
        lambda row: _look(tx, row, compiled, new_id),
        instead=lambda row, error: _break(tx, row, error),
    )
    return len(rows)


def _look(tx: Tx, row: Row, compiled: CompiledSchedules, new_id: NewId) -> None:
    if not tx.all("try_schedule", id=row["schedule_id"]):
        _come_again(tx, row)
        return
    try:
        base = _base_of(tx, row)[0]
        plan = plan_of(base, compiled, load_calendars(tx, [base]))
    except (BadInput, LookupError) as error:
        _break(tx, row, error)
        return
    windows = load_blackouts(tx, [base]).get(row["namespace"], ())
    queue = spec_of(base["job_spec"]).queue
    window = window_at(windows, job=base["job"], queue=queue, at=row["now"])
    if window.act != "start":
        again = min(window.until or row["now"] + HELD_MS, row["now"] + HELD_MS)
        _move(tx, row, edge=row["edge_at"], state="active", look_at=again)
        return
    _fill(tx, row, base, plan, new_id=new_id)


def _break(tx: Tx, row: Row, error: Exception) -> None:
    """Stop a backfill that cannot go on, with the reason; the other backfills go on."""
    work = partial(_move, tx, row, edge=row["edge_at"], state="error", note=words(error))
    beside(tx, work, what=f"backfill {row['id']}")


def _base_of(tx: Tx, row: Row) -> list[Row]:
    return tx.all("find_base", id=row["schedule_id"], backfill_id=row["id"])


def _come_again(tx: Tx, row: Row) -> None:
    if _base_of(tx, row):
        _move(tx, row, edge=row["edge_at"], state="active", look_at=row["now"] + BUSY_MS)
    else:
        _move(tx, row, edge=row["edge_at"], state="error", note="its schedule was removed")


def _fill(tx: Tx, row: Row, base: Row, plan: CompiledSchedule, *, new_id: NewId) -> None:
    keeps = row["parallel"] == KEEPS
    free = free_places(tx, base, plan.policy) if keeps else row["parallel"] - base["live"]
    span = BackfillRange(
        from_at=row["from_at"], to_at=row["to_at"], newest_first=bool(row["newest_first"])
    )
    instants = next_instants(plan, span, row["edge_at"], CHUNK)
    earlier_runs = last_runs(tx, row["schedule_id"], instants)
    edge, checked = row["edge_at"], 0
    chosen: list[int] = []
    for instant in instants:
        wants = is_wanted(row["reprocess"], earlier_runs.get(instant))
        if wants and len(chosen) >= free:
            break
        edge, checked = instant, checked + 1
        if wants:
            chosen.append(instant)
    started = _start(tx, row, base, plan, chosen, new_id) if chosen else 0
    is_through = checked == len(instants) < CHUNK
    is_done = is_through and not base["live"] and not started
    is_full = checked < len(instants)
    is_told = base["live"] or started  # the end of its own run wakes it
    look_at: int | None = row["now"]
    if is_done or (is_told and (is_through or is_full)):
        look_at = None
    elif keeps and is_full:
        look_at = row["now"] + CROWDED_MS
    _move(
        tx,
        row,
        edge=edge,
        seen=checked,
        started=started,
        state="done" if is_done else "active",
        look_at=look_at,
    )


def _start(  # the rows, what they say, and what was chosen
    tx: Tx, row: Row, base: Row, plan: CompiledSchedule, chosen: Sequence[int], new_id: NewId
) -> int:
    runs_started = [
        StartedRun(
            schedule_id=str(row["schedule_id"]),
            instant=instant,
            kind="backfill",
            request=str(row["id"]),
            run_id=new_id(),
            decision="started",
        )
        for instant in chosen
    ]
    # This transaction holds the row of the backfill: none of its instants can exist already.
    tx.execute("insert_firings", batch=msgspec.json.encode(runs_started).decode())
    runs = [_run(row, weighed(tx, base, each.run_id or ""), plan, each) for each in runs_started]
    submit(tx, runs, namespace=row["namespace"])
    return len(runs)


def _run(row: Row, base: Row, plan: CompiledSchedule, started: StartedRun) -> NewRun:
    start = ScheduledStart(
        instant=started.instant,
        kind="backfill",
        request=started.request,
        args=row["args"],
        interval_start=before(plan.table, started.instant),
        interval_end=started.instant,
    )
    run = new_run(base, plan, with_times(base, plan, start), run_id=started.run_id or "")
    # Past instants are always late: only the job's own limit on waiting counts.
    expires_ms = spec_of(base["job_spec"]).expires_ms
    return msgspec.structs.replace(run, backfill_id=str(row["id"]), expires_ms=expires_ms)


def _move(  # noqa: PLR0913  # what changed, all named
    tx: Tx,
    row: Row,
    *,
    edge: int,
    state: str,
    seen: int = 0,
    started: int = 0,
    look_at: int | None = None,
    note: str | None = None,
) -> None:
    tx.execute(
        "move_backfill",
        id=row["id"],
        edge_at=edge,
        seen=seen,
        started=started,
        state=state,
        look_at=look_at,
        note=note,
    )


def cancel_backfill(tx: Tx, backfill_id: str, *, namespace: str, note: str | None = None) -> None:
    """Start no more runs of a backfill; existing runs go on."""
    view = show_backfill(tx, backfill_id, namespace=namespace)
    if not tx.execute("cancel_backfill", id=backfill_id, namespace=namespace, note=note):
        raise NotAllowed(f"backfill {backfill_id} is {view.state} already")


def _base(
    tx: Tx, name: str, namespace: str, compiled: CompiledSchedules
) -> tuple[Row, CompiledSchedule]:
    row = tx.one("find_for_backfill", namespace=namespace, name=name)
    if row is None:
        raise UnknownSchedule(name)
    return row, plan_of(row, compiled, load_calendars(tx, [row]))
