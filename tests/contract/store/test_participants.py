"""Riders on SQLite: each that boards a transaction hears how it ended, however it ended."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import apsw
import pytest

from rota.store.base import Tx
from rota.store.open import open_store
from rota.store.sqlite.store import SqliteStore
from tests.contract.builders import given_run


class Passenger:
    """Boards everything and remembers how its rides ended."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def join(self, tx: Tx, keys: Collection[str]) -> Passenger:
        assert keys
        tx.one("now")
        return self

    def committed(self) -> None:
        self.heard.append("arrived")

    def fail(self) -> None:
        self.heard.append("failed")


@pytest.fixture
def store(sqlite_url: str) -> Iterator[SqliteStore]:
    opened = open_store(sqlite_url)
    assert isinstance(opened, SqliteStore)
    yield opened
    opened.close()


def test_riders_hear_of_a_commit(store: SqliteStore) -> None:
    first, second = Passenger(), Passenger()
    watches = [store.join_commits(first), store.join_commits(second)]

    given_run(store)
    watches[0].close()
    given_run(store)

    assert (first.heard, second.heard) == (["arrived"], ["arrived", "arrived"])


def test_riders_hear_of_a_commit_that_sqlite_rolled_back_by_itself(store: SqliteStore) -> None:
    riders = [Passenger(), Passenger()]
    for rider in riders:
        store.join_commits(rider)
    # As after a full disk, no transaction is left to roll back when this returns.
    store._writer.set_commit_hook(lambda: True)

    with pytest.raises(apsw.ConstraintError):
        given_run(store)

    store._writer.set_commit_hook(None)
    given_run(store)
    assert [rider.heard for rider in riders] == [["failed", "arrived"]] * 2


def test_riders_hear_of_a_transaction_that_breaks_before_its_commit(store: SqliteStore) -> None:
    early, late = Passenger(), Passenger()
    store.join_commits(early)

    class Wrecker(Passenger):
        def join(self, tx: Tx, keys: Collection[str]) -> Passenger:
            store._writer.execute("rollback")
            return super().join(tx, keys)

    wrecker = store.join_commits(Wrecker())
    store.join_commits(late)

    with pytest.raises(apsw.SQLError):
        given_run(store)

    wrecker.close()
    given_run(store)
    assert (early.heard, late.heard) == (["failed", "arrived"], ["arrived"])
