"""How backfills end: cancelled, with their schedule, because it is broken."""

from __future__ import annotations

import pytest

from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.backfills.fill import cancel_backfill
from rota.engine.schedules.backfills.views import backfills, show_backfill
from rota.errors import NotAllowed
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.schedules.backfill_builders import ON, begin, fill_some, progress, work_off
from tests.contract.schedules.builders import (
    end_one,
    given_schedule,
    runs_of,
    show,
)


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def test_a_cancelled_backfill_starts_no_more(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begun = begin(store)
    fill_some(store)

    store.write(lambda tx: cancel_backfill(tx, begun.id, namespace=HOME, note="enough"))
    end_one(store, worker)

    assert fill_some(store) == 0
    view = progress(store, begun.id)
    assert (view.state, view.note, view.succeeded) == ("cancelled", "enough", 1)
    with pytest.raises(NotAllowed, match="cancelled already"):
        store.write(lambda tx: cancel_backfill(tx, begun.id, namespace=HOME))


def test_a_removed_schedule_ends_its_backfills(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    begun = begin(store)

    store.write(lambda tx: schedules.remove(tx, "s", namespace=HOME))

    assert (fill_some(store), progress(store, begun.id).state) == (0, "cancelled")


def test_a_broken_schedule_ends_its_backfill_with_the_reason(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    begun = begin(store)
    run_sql(store.url, "update rota.schedule set spec = 'x'")

    fill_some(store)

    view = progress(store, begun.id)
    assert view.state == "error"
    assert "cannot be read" in (view.note or "")


def test_backfills_are_listed_newest_first(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    ids = [begin(store).id for _ in range(2)]

    found = store.read(lambda tx: backfills(tx, namespace=HOME, schedule="s"))

    assert [view.id for view in found] == ids[::-1]
    assert {view.schedule for view in found} == {"s"}


def test_a_failed_run_is_counted(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begun = begin(store)

    work_off(store, worker, "fail")

    view = progress(store, begun.id)
    assert (view.failed, view.succeeded) == (3, 0)
    assert show(store).failures == 0
    assert State.FAILED in [run.state for run in runs_of(store)]


def test_one_without_its_schedule_ends(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    begun = begin(store)
    run_sql(store.url, "delete from rota.schedule")
    fill_some(store)

    view = store.read(lambda tx: show_backfill(tx, begun.id, namespace=HOME))
    assert (view.state, view.note) == ("error", "its schedule was removed")
