"""Riders of a transaction that carries others: they hear how it ended, and cannot hurt it."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from rota.engine.runs.find import find
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.runs.run import NewRun
from rota.store.base import JoinedWork, Store, Tx
from tests.contract.store.test_participants import Passenger


class Clumsy:
    """Writes, and then stumbles over a statement that the server refuses."""

    def join(self, tx: Tx, keys: Collection[str]) -> JoinedWork:
        assert keys
        tx.notify(("never",))
        tx.raw("insert into nowhere values (1)")
        raise AssertionError("unreachable")


def put(store: Store, *, joinable: bool = True, breaks: bool = False) -> str:
    run = NewRun(id=new_id(), job="noop", version=1)

    def work(tx: Tx) -> str:
        submit(tx, [run], namespace="default")
        if breaks:
            raise ArithmeticError
        return run.id

    return store.write(work, joinable=joinable)


def test_riders_board_what_carries_them(store: Store) -> None:
    rider = Passenger()
    watch = store.join_commits(rider)

    put(store)
    watch.close()
    put(store)

    assert rider.heard == ["arrived"]


def test_riders_hear_when_the_work_itself_fails(store: Store) -> None:
    rider = Passenger()
    store.join_commits(rider)

    with pytest.raises(ArithmeticError):
        put(store, breaks=True)
    put(store)

    assert rider.heard == ["arrived"], "who did not board has nothing to hear"


def test_a_rider_that_stumbles_is_left_behind(store: Store) -> None:
    heard: list[str] = []
    store.watch(heard.append)
    store.join_commits(Clumsy())
    good = Passenger()
    store.join_commits(good)

    run_id = put(store)

    assert store.read(lambda tx: find(tx, run_id, namespace="default")).id == run_id
    assert good.heard == ["arrived"]
    assert "never" not in heard
