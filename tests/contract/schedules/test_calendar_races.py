"""Calendars that change while a schedule is made that names them, on PostgreSQL."""

from __future__ import annotations

import pytest

from rota.clock import to_datetime
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.calendars import put_calendar, remove_calendar
from rota.errors import BadOption
from rota.ids import new_id
from rota.model.schedules.definitions import Calendar, Cron, Schedule
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, START_MS, Clock
from tests.contract.schedules.builders import DAY, TABLES, fire_some, given_job, next_ms, show
from tests.contract.store.interleaved import await_lock_wait, held_open, start

pytestmark = pytest.mark.postgres

ON = START_MS // DAY * DAY


@pytest.fixture
def clock() -> Clock:
    return Clock(ON + 1)


def make(tx: Tx) -> None:
    daily = Schedule(trigger=Cron(expression="0 0 * * *"), calendar="shop")
    schedules.put(
        tx, "s", daily, namespace=HOME, job="noop", origin="code", who="test",
        compiled=TABLES, new_id=new_id,
    )  # fmt: skip


def close_on(tx: Tx, *days: int) -> None:
    off = tuple(to_datetime(ON + day * DAY).date().isoformat() for day in days)
    put_calendar(tx, "shop", Calendar(weekend=(), off=off), namespace=HOME)


def test_a_calendar_is_not_removed_beside_a_schedule_that_names_it(postgres_store: Store) -> None:
    given_job(postgres_store)
    postgres_store.write(close_on)

    with held_open(postgres_store, make):
        removal = start(
            lambda: postgres_store.write(lambda tx: remove_calendar(tx, "shop", namespace=HOME))
        )
        await_lock_wait(postgres_store.url)

    with pytest.raises(BadOption, match="is used by schedule 's'"):
        removal.result(30)


def test_a_schedule_follows_a_calendar_that_changes_beside_it(postgres_store: Store) -> None:
    given_job(postgres_store)
    postgres_store.write(lambda tx: close_on(tx, 1, 2))

    with held_open(postgres_store, make):
        change = start(lambda: postgres_store.write(lambda tx: close_on(tx, 2)))
        await_lock_wait(postgres_store.url)
    change.result(30)
    fire_some(postgres_store)

    assert next_ms(show(postgres_store)) == ON + DAY
