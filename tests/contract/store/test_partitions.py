"""Daily partitions on PostgreSQL: made ahead, dropped when past retention, never in the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from rota.engine.prune import DAY_MS, Retention, prune
from rota.errors import UnknownRun
from rota.model.runs.run import FinishVerb
from rota.model.states import State
from rota.store.open import open_store
from rota.store.postgres.partitions import DAYS_AHEAD
from rota.store.postgres.store import PostgresStore
from tests.contract.builders import (
    ERROR,
    START_MS,
    Clock,
    finish_with,
    given_lease,
    look,
    run_sql,
)

pytestmark = pytest.mark.postgres

PARENTS = ("attempt", "run_history_bad", "run_history_good", "log_chunk")
GOOD_DAYS, BAD_DAYS = 7, 30


@pytest.fixture
def own(postgres_url: str, clock: Clock) -> Iterator[PostgresStore]:
    """A database of its own: partitions are changed here."""
    store = open_store(postgres_url, clock=clock)
    assert isinstance(store, PostgresStore)
    yield store
    store.close()


def rotate(store: PostgresStore) -> None:
    store.rotate(keep_good_ms=GOOD_DAYS * DAY_MS, keep_bad_ms=BAD_DAYS * DAY_MS)


def day(ahead: int = 0) -> str:
    return f"{datetime.fromtimestamp(START_MS / 1000, UTC) + timedelta(days=ahead):%Y%m%d}"


def daily(store: PostgresStore, parent: str) -> list[str]:
    rows = run_sql(
        store.url,
        "select relname from pg_class join pg_namespace n on n.oid = relnamespace"
        f" where n.nspname = 'rota' and relkind = 'r' and relname ~ '^{parent}_[0-9]+$'"
        " order by relname",
    )
    return [str(name).removeprefix(f"{parent}_") for (name,) in rows]


def given_end(store: PostgresStore, verb: FinishVerb = "succeed") -> str:
    lease = given_lease(store)
    finish_with(store, lease, verb, kind="error" if verb == "fail" else None, error=ERROR)
    return lease.run_id


def place_of(store: PostgresStore, run_id: str) -> str:
    ((name,),) = run_sql(
        store.url,
        f"select h.tableoid::regclass::text from rota.run_history as h where id = '{run_id}'",
    )
    return str(name).removeprefix("rota.")


def test_a_fresh_store_has_partitions_for_the_coming_days(own: PostgresStore) -> None:
    expected = [day(ahead) for ahead in range(DAYS_AHEAD + 1)]

    assert {parent: daily(own, parent) for parent in PARENTS} == dict.fromkeys(PARENTS, expected)


def test_ended_runs_land_in_the_partition_of_their_day_and_kind(
    own: PostgresStore, clock: Clock
) -> None:
    good = given_end(own)
    clock.advance(DAY_MS)
    bad = given_end(own, "fail")

    assert place_of(own, good) == f"run_history_good_{day()}"
    assert place_of(own, bad) == f"run_history_bad_{day(1)}"


def test_each_day_makes_the_next_and_rotating_twice_changes_nothing(
    own: PostgresStore, clock: Clock
) -> None:
    clock.advance(DAY_MS)

    rotate(own)
    once = daily(own, "run_history_good")
    rotate(own)

    assert once == [day(ahead) for ahead in range(DAYS_AHEAD + 2)]
    assert daily(own, "run_history_good") == once


def test_days_that_are_wholly_past_retention_are_dropped_with_their_rows(
    own: PostgresStore, clock: Clock
) -> None:
    good, bad = given_end(own), given_end(own, "fail")

    clock.advance((GOOD_DAYS + 2) * DAY_MS)
    rotate(own)
    after_good = daily(own, "run_history_good")[0], daily(own, "run_history_bad")[0]
    still = look(own, bad).state
    clock.advance((BAD_DAYS - GOOD_DAYS) * DAY_MS)
    rotate(own)

    assert after_good == (day(2), day())
    assert still is State.FAILED
    assert [daily(own, parent)[0] for parent in PARENTS[:2]] == [day(2)] * 2
    for gone in (good, bad):
        with pytest.raises(UnknownRun):
            look(own, gone)


def test_a_day_that_still_holds_kept_rows_is_not_dropped(own: PostgresStore, clock: Clock) -> None:
    given_end(own)
    clock.advance(GOOD_DAYS * DAY_MS)

    rotate(own)

    assert day() in daily(own, "run_history_good")


def test_rows_of_a_day_nobody_prepared_land_in_the_rest_and_are_pruned(
    own: PostgresStore, clock: Clock
) -> None:
    clock.advance(20 * DAY_MS)
    run_id = given_end(own)
    place = place_of(own, run_id)

    rotate(own)
    kept = look(own, run_id).state
    clock.advance((GOOD_DAYS + 1) * DAY_MS)
    own.write(lambda tx: prune(tx, Retention(), limit=100))

    assert (place, kept) == ("run_history_good_rest", State.SUCCESS)
    with pytest.raises(UnknownRun):
        look(own, run_id)


def test_rotation_does_not_stand_in_the_way_behind_a_long_reader(
    own: PostgresStore, clock: Clock
) -> None:
    given_end(own)
    clock.advance((GOOD_DAYS + 2) * DAY_MS)

    with psycopg.connect(own.url) as reader:
        reader.execute("select count(*) from rota.run_history")
        began = time.monotonic()
        rotate(own)
        took_s = time.monotonic() - began
        kept = daily(own, "run_history_good")
    rotate(own)

    assert day() in kept
    assert took_s < 10
    assert day() not in daily(own, "run_history_good")


def test_one_of_two_rotations_at_once_does_nothing(own: PostgresStore, clock: Clock) -> None:
    clock.advance(DAY_MS)

    with psycopg.connect(own.url) as holder:
        holder.execute("select pg_advisory_xact_lock(7261746169)")
        rotate(own)
        during = daily(own, "attempt")
    rotate(own)

    assert day(DAYS_AHEAD + 1) not in during
    assert day(DAYS_AHEAD + 1) in daily(own, "attempt")
