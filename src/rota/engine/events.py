"""Send: an event starts every schedule that listens, each under its own policies, once.

The event and what it starts are one transaction: both are there or neither.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

from rota.engine.admission.windows import Blackouts, load_blackouts, outside_windows
from rota.engine.failures.batch_isolation import each_apart, split, words
from rota.engine.schedules.compiled import CompiledSchedule, CompiledSchedules
from rota.engine.schedules.fire import Calendars, load_calendars, plan_of
from rota.engine.schedules.new_run import ScheduledStart, origin_of, spec_of
from rota.engine.schedules.starts import NewId, StartRequest, StartResult, begin, stop_old
from rota.errors import DuplicateKey, NotPermitted
from rota.model.events.event import Event, Heard, Sent
from rota.model.jobs.spec import GraphTarget
from rota.rules.runs.event_arguments import event_args
from rota.rules.schedules.arguments import resolve_args
from rota.rules.text.json_values import same_json
from rota.store.base import Row, Tx


class _Listener(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule that listens; without a plan when it cannot be understood."""

    row: Row
    plan: CompiledSchedule | None = None
    args: Mapping[str, Any] = {}
    """The arguments of the schedule, with the times of the run in them."""
    note: str | None = None


def send(  # noqa: PLR0913  # what, whose, by whom, and two sources of what is new
    tx: Tx,
    event: Event,
    *,
    namespace: str,
    sent_by: str,
    compiled: CompiledSchedules,
    new_id: NewId,
    reaches: Callable[[str], bool] | None = None,
    check: Callable[[Collection[str]], None] = lambda _: None,
) -> Sent:
    """Record an event and start its listeners; an event sent before starts nothing again.

    Raises DuplicateKey when the key belongs to an event with another payload. A paused schedule
    does not start, and counts the event as missed. `reaches` returns whether the sender may start
    jobs of a queue: NotPermitted if a schedule of another queue listens. `check` gets all jobs that
    would start, and raises if they may not.
    """
    at = {"namespace": namespace, "name": event.name, "key": event.key}
    if reaches is not None:
        _check_reach(tx, event, namespace, reaches)
    if not tx.execute("insert_event", id=event.id, payload=event.payload, sent_by=sent_by, **at):
        return _known(tx, event, namespace)
    rows = tx.all("take_listeners", namespace=namespace, event=event.name)
    check({row["job"] for row in rows if row["job_spec"] is not None})
    calendars = load_calendars(tx, rows)
    windows = load_blackouts(tx, rows)
    listeners = [_listener(row, event.id, compiled, calendars) for row in rows]

    def start(tx: Tx) -> dict[str, StartResult]:
        return _start(tx, listeners, event, windows, new_id)

    begun = split(tx, start) if listeners else {}
    return Sent(id=event.id, heard=_heard(rows, begun))


def _start(
    tx: Tx, listeners: Sequence[_Listener], event: Event, windows: Blackouts, new_id: NewId
) -> dict[str, StartResult]:
    """Start the listeners; in a careful transaction one that raises is in error, others start."""
    if not tx.is_careful:
        return _start_all(tx, listeners, event, windows, new_id)
    found = each_apart(
        tx,
        listeners,
        lambda each: _start_all(tx, [each], event, windows, new_id),
        instead=lambda each, error: _break(tx, each, error),
    )
    return {at: begun for one in found for at, begun in one.items()}


def _start_all(
    tx: Tx, listeners: Sequence[_Listener], event: Event, windows: Blackouts, new_id: NewId
) -> dict[str, StartResult]:
    asks = [ask for each in listeners if (ask := _ask(each, event, windows)) is not None]
    begun = begin(tx, asks, new_id=new_id)
    for each in listeners:
        _count(tx, each, begun.get(str(each.row["id"])))
    stop_old(tx, begun.values())
    return begun


def _break(tx: Tx, listener: _Listener, error: Exception) -> dict[str, StartResult]:
    _count(tx, _Listener(row=listener.row, note=words(error)), None)
    return {}


def _check_reach(tx: Tx, event: Event, namespace: str, reaches: Callable[[str], bool]) -> None:
    for row in tx.all("take_listeners", namespace=namespace, event=event.name):
        if row["job_spec"] is None or not reaches(spec_of(row["job_spec"]).queue):
            raise NotPermitted(
                f"the event {event.name} starts jobs of queues that the credential does not reach"
            )


def _known(tx: Tx, event: Event, namespace: str) -> Sent:
    at = {"namespace": namespace, "name": event.name}
    (row,) = tx.all("find_event", id=event.id, key=event.key, **at)
    if not same_json(row["payload"], event.payload):
        raise DuplicateKey(event.key or "", str(row["id"]), what="event", has="contents")
    made = tx.all(
        "event_firings",
        namespace=namespace,
        event=event.name,
        sent_at=row["sent_at"],
        request=str(row["id"]),
    )
    heard = tuple(
        Heard(schedule=each["schedule"], decision=each["decision"], run_id=_id(each["run_id"]))
        for each in made
    )
    return Sent(id=str(row["id"]), is_new=str(row["id"]) == event.id, heard=heard)


def _listener(
    row: Row, event_id: str, compiled: CompiledSchedules, calendars: Calendars
) -> _Listener:
    row = {**row, "id": str(row["id"])}
    try:
        plan = plan_of(row, compiled, calendars)
        # The payload of the event stays as it is: only the schedule's own arguments name times.
        start = ScheduledStart(instant=row["now"], kind="event", request=event_id)
        args = resolve_args(plan.schedule.args, origin_of(row, plan, start))
        return _Listener(row=row, plan=plan, args=args)
    except Exception as error:  # noqa: BLE001  # one bad schedule does not stop the others
        return _Listener(row=row, note=words(error))


def _ask(listener: _Listener, event: Event, windows: Blackouts) -> StartRequest | None:
    row, plan = listener.row, listener.plan
    if plan is None or row["state"] != "active" or not _is_open(row, plan):
        return None
    spec = spec_of(row["job_spec"])
    target = spec.target
    names = target.graph.parameters if isinstance(target, GraphTarget) else spec.parameters
    start = ScheduledStart(
        instant=row["now"],
        kind="event",
        request=event.id,
        args=event_args(listener.args, event, names),
    )
    mine = windows.get(row["namespace"], ())
    free = outside_windows(mine, start, job=row["job"], queue=spec.queue, now=row["now"])
    starts, held = ([free], []) if free is not None else ([], [start])
    return StartRequest(row=row, plan=plan, starts=starts, held=held, waits=True)


def _is_open(row: Row, plan: CompiledSchedule) -> bool:
    """Whether the time is within the schedule's bounds, and its count has runs left."""
    end_at, count = plan.lateness.end_at, plan.schedule.count
    is_early = plan.start_at is not None and row["now"] < plan.start_at
    is_late = end_at is not None and row["now"] > end_at
    return not (is_early or is_late or (count is not None and row["fired"] >= count))


def _count(tx: Tx, listener: _Listener, begun: StartResult | None) -> None:
    row, plan = listener.row, listener.plan
    fired = begun.fired if begun else 0
    count = plan.schedule.count if plan else None
    state = row["state"]
    if plan is None:
        state = "error"
    elif state == "active" and count is not None and row["fired"] + fired >= count:
        state = "ended"
    tx.execute(
        "hear_event",
        id=row["id"],
        fired=fired,
        skipped=begun.skipped if begun else 0,
        missed=int(row["state"] == "paused"),
        last_at=row["now"] if begun else None,
        state=state,
        note=listener.note,
    )


def _heard(rows: Sequence[Row], begun: dict[str, StartResult]) -> tuple[Heard, ...]:
    names = {str(row["id"]): row["name"] for row in rows}
    return tuple(
        Heard(schedule=names[at], decision=made.decision, run_id=made.run_id)
        for at, one in begun.items()
        for made in one.made
    )


def _id(value: object) -> str | None:
    return str(value) if value else None
