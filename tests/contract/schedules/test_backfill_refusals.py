"""Backfills before they begin: what a preview tells, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.schedules.backfills.fill import preview_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.errors import BadInput, UnknownBackfill, UnknownSchedule
from rota.ids import new_id
from rota.model.schedules.definitions import Every, Schedule
from rota.store.base import Store
from tests.contract.builders import HOME, Clock
from tests.contract.schedules.backfill_builders import ON, begin, progress, work_off
from tests.contract.schedules.builders import (
    DAY,
    HOUR,
    TABLES,
    fire_some,
    given_job,
    given_schedule,
    put,
    runs_of,
)


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def test_a_preview_writes_nothing(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begin(store, hours=1)
    work_off(store, worker)
    wanted = BackfillRange(from_at=ON - 3 * HOUR, to_at=ON)

    found = store.read(
        lambda tx: preview_backfill(tx, "s", wanted, namespace=HOME, compiled=TABLES)
    )

    assert [(each.instant.ms, each.starts, each.state) for each in found] == [
        (ON - 3 * HOUR, True, None),
        (ON - 2 * HOUR, True, None),
        (ON - HOUR, False, "success"),
    ]
    assert len(runs_of(store)) == 1


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"hours": 20_000}, "about 20,000 firings"),
        ({"hours": 0}, "the range is empty"),
        ({"parallel": 0}, "parallel=0"),
        ({"most": 2_000_000}, "most=2000000"),
    ],
)
def test_a_bad_backfill_is_refused(
    store: Store, clock: Clock, wish: dict[str, Any], said: str
) -> None:
    given_schedule(store, "1h")

    with pytest.raises(BadInput, match=said):
        begin(store, **wish)


def test_a_larger_number_may_be_confirmed(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")

    assert begin(store, hours=20_000, most=50_000).total == pytest.approx(20_000, rel=0.01)


def test_one_that_counts_from_the_end_has_no_past(store: Store, clock: Clock) -> None:
    given_job(store)
    put(store, Schedule(trigger=Every(every="1h", from_end=True)))

    with pytest.raises(BadInput, match="from_end"):
        begin(store)


def test_unknown_names_say_so(store: Store, clock: Clock) -> None:
    with pytest.raises(UnknownSchedule):
        begin(store)
    with pytest.raises(UnknownBackfill):
        progress(store, new_id())
    with pytest.raises(UnknownBackfill):
        progress(store, "nonsense")


def test_a_preview_leaves_out_what_has_not_come(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    clock.advance(2 * HOUR)
    fire_some(store)
    wanted = BackfillRange(from_at=ON, to_at=ON + DAY, reprocess="all")
    planned = store.read(
        lambda tx: preview_backfill(tx, "s", wanted, namespace=HOME, compiled=TABLES)
    )
    assert [each.instant.ms for each in planned] == [ON, ON + HOUR, ON + 2 * HOUR]


@pytest.mark.parametrize("span", [0, 365 * DAY])
def test_a_preview_refuses_what_the_backfill_would(store: Store, clock: Clock, span: int) -> None:
    given_schedule(store, "1m")
    wanted = BackfillRange(from_at=ON - span, to_at=ON)
    with pytest.raises(BadInput, match="backfill: the range"):
        store.read(lambda tx: preview_backfill(tx, "s", wanted, namespace=HOME, compiled=TABLES))
