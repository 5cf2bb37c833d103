"""PostgreSQL transactions held in the middle, so that others run against them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import psycopg

from rota.store.base import Store, Tx

LOCKED = (
    "select count(*) from pg_stat_activity"
    " where datname = current_database() and wait_event_type = 'Lock'"
)


@contextmanager
def held_open(store: Store, work: Callable[[Tx], object]) -> Iterator[None]:
    """A transaction that has done its work and has not committed; it does at the end."""
    ready, go = threading.Event(), threading.Event()

    def body(tx: Tx) -> None:
        work(tx)
        ready.set()
        assert go.wait(30)

    done = start(lambda: store.write(body))
    try:
        assert ready.wait(30)
        yield
    finally:
        go.set()
        done.result(30)


def start(act: Callable[[], object]) -> Future[object]:
    """Another side that may have to wait; its answer comes by the future."""
    answer: Future[object] = Future()

    def run() -> None:
        try:
            answer.set_result(act())
        except BaseException as error:  # noqa: BLE001  # raised where the answer is asked for
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return answer


def is_held_up(url: str, answer: Future[object]) -> bool:
    """Whether a lock keeps the other side from its answer; decides as soon as that is known."""
    deadline = time.monotonic() + 20
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() < deadline and not answer.done():
            row = connection.execute(LOCKED).fetchone()
            if row and row[0]:
                return True
            time.sleep(0.005)
    return False


def await_lock_wait(url: str) -> None:
    """Until some session of this database waits for a lock."""
    assert is_held_up(url, Future()), "nobody waits for a lock"
