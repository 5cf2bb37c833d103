"""Receipts in another database: a step commits once per run, with its own transaction."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from contextvars import Context, copy_context
from typing import Any

import pytest

from rota.errors import RotaError, WrongConnection
from rota.receipts import once_in
from rota.runtime.attempts.context import current, enter
from tests.contract.builders import run_sql
from tests.support.calls import call_of
from tests.support.connections import KINDS, driver_at, open_kind

every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def other_url(store_url: str) -> str:
    """A database that Rota has never seen, with a table of its owner."""
    run_sql(store_url, "create table stock (item text)")
    return store_url


@pytest.fixture(autouse=True)
def run() -> Iterator[None]:
    """The test is the handler of a run."""
    call = call_of(lambda: None)
    enter(call, None)
    yield
    current.set(None)  # the next test is no handler


def stock(url: str) -> list[tuple[Any, ...]]:
    return run_sql(url, "select item from stock")


@every_kind
def test_the_second_time_gives_the_first_result_and_does_nothing(other_url: str, kind: str) -> None:
    results = []
    for _ in range(3):
        with open_kind(kind, other_url) as mine:
            with once_in(mine.connection, step="reserve") as step:
                if step.first:
                    mine.execute("insert into stock values ('a')")
                    step.result = {"shelf": 7}
                results.append((step.first, step.result))
            mine.commit()

    assert results == [(True, {"shelf": 7}), (False, {"shelf": 7}), (False, {"shelf": 7})]
    assert stock(other_url) == [("a",)]


@every_kind
def test_a_rolled_back_receipt_counts_as_never_taken(other_url: str, kind: str) -> None:
    with open_kind(kind, other_url) as mine:
        for end in (mine.rollback, mine.commit):
            with once_in(mine.connection, step="reserve") as step:
                assert step.first
                mine.execute("insert into stock values ('a')")
            end()

    assert stock(other_url) == [("a",)]


@every_kind
def test_a_block_that_raises_is_undone_even_if_the_rest_is_committed(
    other_url: str, kind: str
) -> None:
    with open_kind(kind, other_url) as mine:
        mine.execute("insert into stock values ('before')")
        with contextlib.suppress(ValueError), once_in(mine.connection, step="s"):
            mine.execute("insert into stock values ('inside')")
            raise ValueError("no")
        mine.commit()
        with once_in(mine.connection, step="s") as step:
            assert step.first

    assert stock(other_url) == [("before",)]


def test_steps_are_apart(other_url: str) -> None:
    with open_kind("driver", other_url) as mine:
        for name in ("a", "b"):
            with once_in(mine.connection, step=name) as step:
                assert step.first


def test_a_connection_that_commits_by_itself_is_refused(other_url: str) -> None:
    loose = {"isolation_level": None} if other_url.startswith("sqlite") else {"autocommit": True}
    with (
        closing(driver_at(other_url, **loose)) as mine,
        pytest.raises(WrongConnection, match="autocommit"),
        once_in(mine, step="a"),
    ):
        pass


def test_without_a_run_there_is_no_receipt() -> None:
    with (
        closing(sqlite3.connect(":memory:")) as mine,
        pytest.raises(RotaError, match="no current run"),
    ):
        Context().run(once_in(mine, step="a").__enter__)


def test_attempts_at_the_same_moment_do_it_once(other_url: str) -> None:
    with open_kind("driver", other_url) as mine:
        with once_in(mine.connection, step="warm"):
            pass
        mine.commit()
    gate = threading.Barrier(4)

    def attempt() -> None:
        with closing(driver_at(other_url)) as mine:
            gate.wait(20)
            with once_in(mine, step="reserve") as step:
                if step.first:
                    mine.execute("insert into stock values ('a')")
            mine.commit()

    threads = [threading.Thread(target=copy_context().run, args=(attempt,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert stock(other_url) == [("a",)]
