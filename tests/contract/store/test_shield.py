"""A handler that is stopped in the middle of a transaction: nobody else suffers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from rota.errors import Cancelled
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.executors.threads.executor import ThreadSlot
from rota.store.base import Store
from rota.store.open import open_store
from rota.store.options import PoolOptions
from rota.store.postgres.store import PostgresStore
from rota.store.sqlite.store import SqliteStore
from tests.support.calls import call_of, eventually


class Handler:
    """A thread that can be stopped as those of a worker can, and what it met."""

    def __init__(self, body: Callable[[], object]) -> None:
        self._body = body
        self._call: Attempt = call_of(lambda: None)
        self._slot: ThreadSlot | None = None
        self.met: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        eventually(lambda: self._slot is not None)

    def stop(self) -> None:
        assert self._slot is not None
        self._slot.ask(self._call, "cancel")

    def is_in(self, function: str) -> bool:
        """Whether that is what it carries out, or waits in."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        return frame is not None and frame.f_code.co_name == function

    def join(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        slot = ThreadSlot()
        slot.armed = self._call
        self._slot = slot
        try:
            self._body()
        except BaseException as error:  # noqa: BLE001  # it is what we want to see
            self.met = error
        slot.disarm()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process writes, for as long as we like."""
    other = apsw.Connection(str(path))
    other.execute("begin immediate")
    try:
        yield
    finally:
        other.execute("rollback")
        other.close()


def answers(store: Store) -> bool:
    return store.write(lambda _: True)


def test_a_stop_while_sqlite_waits_for_another_process_leaves_no_transaction(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/rota.db")
    assert isinstance(store, SqliteStore)
    with locked(store.path):
        handler = Handler(lambda: answers(store))
        eventually(lambda: handler.is_in("_flush"))
        handler.stop()
    handler.join()

    assert isinstance(handler.met, Cancelled)
    assert answers(store)
    with locked(store.path):
        pass
    store.close()


class _Interrupting:
    """A connection whose user presses Ctrl-C while a statement is carried out."""

    def __init__(self, connection: apsw.Connection, statement: str) -> None:
        self._connection = connection
        self._statement = statement

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, text: str) -> apsw.Cursor:
        cursor = self._connection.execute(text)
        if text == self._statement:
            self._statement = ""
            raise KeyboardInterrupt
        return cursor


@pytest.mark.parametrize("statement", ["begin immediate", "commit"])
def test_ctrl_c_in_a_transaction_leaves_none_behind(tmp_path: Path, statement: str) -> None:
    store = open_store(f"sqlite:///{tmp_path}/rota.db")
    assert isinstance(store, SqliteStore)
    store._writer = _Interrupting(store._writer, statement)  # type: ignore[assignment]

    with pytest.raises(KeyboardInterrupt):
        answers(store)

    assert answers(store)
    store.close()


@pytest.mark.parametrize("statement", ["savepoint work", "release work"])
def test_ctrl_c_among_works_that_share_a_transaction_leaves_none_behind(
    tmp_path: Path, statement: str
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/rota.db")
    assert isinstance(store, SqliteStore)
    store._writer = _Interrupting(store._writer, statement)  # type: ignore[assignment]

    with pytest.raises(KeyboardInterrupt):
        store._flush([lambda _: None, lambda _: None])

    assert answers(store)
    store.close()


@pytest.mark.postgres
def test_a_stop_while_the_pool_is_empty_costs_no_connection(empty_postgres_url: str) -> None:
    store = PostgresStore(empty_postgres_url, empty_postgres_url, PoolOptions(size=1))
    busy, go_on = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        busy.set()
        go_on.wait(60)

    holder = threading.Thread(target=lambda: store.write(hold))
    holder.start()
    busy.wait(60)
    handler = Handler(lambda: answers(store))
    eventually(lambda: handler.is_in("take"))
    handler.stop()
    go_on.set()
    handler.join()
    holder.join()

    assert isinstance(handler.met, Cancelled)
    assert answers(store)
    store.close()


def test_a_stop_that_was_held_back_comes_once(store: Store) -> None:
    """What a handler does about it, a last checkpoint for one, is not stopped again."""
    inside, go_on = threading.Event(), threading.Event()
    tidied: list[bool] = []

    def hold(_: object) -> None:
        inside.set()
        go_on.wait(60)

    def body() -> None:
        try:
            store.write(hold)
        except Cancelled:
            tidied.extend(answers(store) for _ in range(3))
            raise

    handler = Handler(body)
    inside.wait(60)
    handler.stop()
    go_on.set()
    handler.join()

    assert tidied == [True] * 3
    assert isinstance(handler.met, Cancelled)
