"""Builders for backfills: one begun, filled, worked off, in one line each."""

from __future__ import annotations

from typing import Any

from rota.engine.schedules.backfills.fill import fill, start_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.engine.schedules.backfills.views import show_backfill
from rota.ids import new_id
from rota.model.schedules.backfill import BackfillView
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, claim_some, finish_with, run_sql
from tests.contract.schedules.builders import DAY, HOUR, TABLES, fired

ON = START_MS // DAY * DAY
HOURS = [ON - 3 * HOUR, ON - 2 * HOUR, ON - HOUR]


def begin(
    store: Store, *, hours: int = 3, backfill_id: str = "", most: int = 10_000, **wish: Any
) -> BackfillView:
    """A backfill of the hours before the schedule was made."""
    wanted = BackfillRange(from_at=ON - hours * HOUR, to_at=ON, **wish)
    return store.write(
        lambda tx: start_backfill(
            tx, "s", wanted, namespace=HOME, backfill_id=backfill_id or new_id(),
            compiled=TABLES, most=most,
        )
    )  # fmt: skip


def fill_some(store: Store) -> int:
    return store.write(lambda tx: fill(tx, limit=10, compiled=TABLES, new_id=new_id))


def progress(store: Store, backfill_id: str) -> BackfillView:
    return store.read(lambda tx: show_backfill(tx, backfill_id, namespace=HOME))


def work_off(store: Store, worker: str, verb: str = "succeed") -> list[int]:
    """Fill and end runs until nothing is left; the instants in the order of their starts."""
    order = []
    while fill_some(store) or run_sql(store.url, "select count(*) from rota.run") != [(0,)]:
        for lease in claim_some(store, worker):
            order.append(lease.run_id)
            kind = {"kind": "error"} if verb == "fail" else {}
            finish_with(store, lease, verb, fired=True, **kind)  # type: ignore[arg-type]
    at = {each.run_id: each.instant.ms for each in fired(store)}
    return [at[run_id] for run_id in order]
