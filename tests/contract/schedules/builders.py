"""Builders for schedules: one on record, a look, the runs it made, in one line each."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.jobs.definitions import define
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules import views as schedule_views
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.fire import FireResult, fire
from rota.engine.schedules.firings import firings_of
from rota.engine.schedules.trigger import TriggerOutcome, trigger
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import Origin, RunView
from rota.model.schedules.definitions import Every, Schedule
from rota.model.schedules.firing import FiringView
from rota.model.schedules.schedule import ScheduleView
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, claim_some, finish_with, look

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
TABLES = CompiledSchedules("test", lambda: 0.5)
NAME = "s"


def given_job(store: Store, *, name: str = "noop", namespace: str = HOME, **fields: Any) -> int:
    spec = JobSpec(name=name, target=PythonTarget(ref="m:f"), **fields)
    return store.write(lambda tx: define(tx, spec, namespace=namespace))


def every(text: str, **fields: Any) -> Schedule:
    return Schedule(trigger=Every(every=text), **fields)


def put(
    store: Store, schedule: Schedule, *, name: str = NAME, namespace: str = HOME, **facts: Any
) -> ScheduleView:
    given: dict[str, Any] = {
        "job": "noop", "origin": "code", "who": "test", "compiled": TABLES, "new_id": new_id,
    }  # fmt: skip
    return store.write(
        lambda tx: schedules.put(tx, name, schedule, namespace=namespace, **given | facts)
    )


def given_schedule(store: Store, text: str = "1m", *, name: str = NAME, **fields: Any) -> str:
    """The id of a schedule of the job `noop`."""
    given_job(store)
    return put(store, every(text, **fields), name=name).id


def fire_some(store: Store, *, limit: int = 100, tables: CompiledSchedules = TABLES) -> FireResult:
    return store.write(lambda tx: fire(tx, limit=limit, compiled=tables, new_id=new_id))


def trigger_now(
    store: Store, *, name: str = NAME, request: str = "", **fields: Any
) -> TriggerOutcome:
    return store.write(
        lambda tx: trigger(
            tx, name, namespace=HOME, request_id=request or new_id(), compiled=TABLES,
            new_id=new_id, **fields,
        )
    )  # fmt: skip


def show(store: Store, name: str = NAME) -> ScheduleView:
    return store.read(lambda tx: schedule_views.show(tx, name, namespace=HOME))


def next_ms(view: ScheduleView) -> int | None:
    """Its next instant."""
    return None if view.next_at is None else view.next_at.ms


def fired(store: Store, name: str = NAME) -> list[FiringView]:
    """All firings, oldest first."""
    rows = store.read(lambda tx: firings_of(tx, name, namespace=HOME, limit=1_000_000))
    return rows[::-1]


def instants(store: Store, name: str = NAME, *, decision: str = "started") -> list[int]:
    return [each.instant.ms for each in fired(store, name) if each.decision == decision]


def runs_of(store: Store, name: str = NAME) -> list[RunView]:
    return [look(store, each.run_id) for each in fired(store, name) if each.run_id]


def states_of(store: Store, name: str = NAME) -> list[State]:
    return [run.state for run in runs_of(store, name)]


def origin_of(run: RunView) -> Origin:
    assert run.origin is not None
    return msgspec.json.decode(str(run.origin), type=Origin)


def end_one(store: Store, worker: str, verb: str = "succeed", **fields: Any) -> str:
    """Claim the next run and end it; its id."""
    (lease,) = claim_some(store, worker, limit=1)
    kind = {"kind": "error"} if verb == "fail" else {}
    assert finish_with(store, lease, verb, fired=True, **kind | fields) == []  # type: ignore[arg-type]
    return lease.run_id
