"""Wake-ups of other processes: told with the commit while that is quick, after it otherwise."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from rota.engine.runs.submit import submit
from rota.engine.wakeup_keys import queue_key
from rota.store.base import Store, Tx
from rota.store.postgres.notify import QUICK_S, Notifier
from rota.store.wakeups import EVERYWHERE
from tests.contract.builders import HOME, new_run
from tests.support.calls import eventually

KEY = queue_key(HOME, "default")


@contextmanager
def _listening(store: Store) -> Iterator[psycopg.Connection]:
    with psycopg.connect(store.url, autocommit=True) as connection:
        connection.execute("listen rota")
        yield connection


def _hears(connection: psycopg.Connection) -> list[str]:
    return [each.payload for each in connection.notifies(timeout=5, stop_after=1)]


@pytest.mark.parametrize("is_lone", [True, False])
def test_another_process_hears_of_a_submit(postgres_store: Store, *, is_lone: bool) -> None:
    with _listening(postgres_store) as connection:
        postgres_store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=is_lone)
        assert _hears(connection) == [KEY]


def test_a_submit_that_told_by_itself_still_says_what_it_changed(postgres_store: Store) -> None:
    run = new_run()
    first = postgres_store.write(lambda tx: submit(tx, [run], namespace=HOME), lone=True)
    again = postgres_store.write(lambda tx: submit(tx, [run], namespace=HOME), lone=True)
    assert first == again
    assert postgres_store.read(lambda tx: tx.raw("select count(*) as n from rota.run"))[0]["n"] == 1


def test_only_quick_commits_carry_their_notice() -> None:
    notifier = Notifier(lambda _: None)
    for _ in range(20):
        notifier.measure(2 * QUICK_S)
    assert notifier.take_quiet({"a"}) == set()
    for _ in range(20):
        notifier.measure(QUICK_S / 4)
    assert notifier.take_quiet({"a"}) == {"a"}


def test_a_key_is_carried_once_until_it_is_quiet_again() -> None:
    notifier = Notifier(lambda _: None)
    assert notifier.take_quiet({"a", "b"}) == {"a", "b"}
    assert notifier.take_quiet({"a"}) == set()


def test_a_process_does_not_hear_itself(postgres_store: Store) -> None:
    heard: list[str] = []
    woken: list[str] = []
    with contextlib.closing(postgres_store.watch(woken.append, heard=heard.append)):
        eventually(lambda: EVERYWHERE in woken)  # it listens now
        postgres_store.write(lambda tx: tx.notify(("mine",)))
        with psycopg.connect(postgres_store.url, autocommit=True) as other:
            other.execute("select pg_notify('rota', 'theirs')")
        eventually(lambda: heard)
    assert heard == ["theirs"]
    assert "mine" in woken


def test_a_run_that_is_taken_in_its_own_transaction_wakes_nobody(store: Store) -> None:
    woken: list[str] = []

    def work(tx: Tx) -> None:
        tx.offer({"a": "here", "b": "there"})
        tx.taken(["a"])

    with contextlib.closing(store.watch(woken.append)):
        store.write(work)
    assert [key for key in woken if key != EVERYWHERE] == ["there"]
