"""SQLite's group commit: one commit for many, each of them alone in its failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from rota.engine.runs import find as inspect
from rota.engine.runs.submit import submit
from rota.errors import StoreUnavailable
from rota.model.states import State
from rota.store.base import Tx
from rota.store.open import open_store
from rota.store.sqlite.store import SqliteStore
from tests.contract.builders import HOME, Clock, given_run, look, new_run, run_sql, state_of


@pytest.fixture
def store(sqlite_url: str, clock: Clock) -> Iterator[SqliteStore]:
    opened = open_store(sqlite_url, clock=clock)
    assert isinstance(opened, SqliteStore)
    yield opened
    opened.close()


class Crowd:
    """Works that end up in one group: they wait behind a first one that is held."""

    def __init__(self, store: SqliteStore, pool: ThreadPoolExecutor) -> None:
        self._store, self._pool = store, pool
        self._held, self._go = threading.Event(), threading.Event()
        self._first = pool.submit(store.write, self._hold)
        assert self._held.wait(20)

    def _hold(self, _: Tx) -> None:
        self._held.set()
        assert self._go.wait(20)

    def send(self, work: object) -> Future[object]:
        before = len(self._store._commit._waiting)
        future: Future[object] = self._pool.submit(self._store.write, work)  # type: ignore[arg-type]  # a work
        while len(self._store._commit._waiting) == before:
            threading.Event().wait(0.001)
        return future

    def release(self) -> None:
        self._go.set()
        self._first.result(20)


def test_a_work_that_fails_is_rolled_back_alone(store: SqliteStore) -> None:
    runs = [new_run() for _ in range(3)]

    def work(n: int) -> object:
        def body(tx: Tx) -> str:
            submit(tx, [runs[n]], namespace=HOME)
            if n == 1:
                raise LookupError("changed my mind")
            return runs[n].id

        return body

    with ThreadPoolExecutor(4) as pool:
        crowd = Crowd(store, pool)
        futures = [crowd.send(work(n)) for n in range(3)]
        crowd.release()

    assert [futures[n].result(20) for n in (0, 2)] == [runs[0].id, runs[2].id]
    with pytest.raises(LookupError, match="changed my mind"):
        futures[1].result(20)
    assert store.read(lambda tx: inspect.counts(tx, namespace=HOME)) == {State.QUEUED: 2}


def test_a_statement_that_fails_inside_a_group_hurts_its_own_work_only(store: SqliteStore) -> None:
    good, bad = new_run(), new_run(version=None)

    with ThreadPoolExecutor(3) as pool:
        crowd = Crowd(store, pool)
        futures = [
            crowd.send(lambda tx, run=run: submit(tx, [run], namespace=HOME)) for run in (bad, good)
        ]
        crowd.release()

    with pytest.raises(Exception, match="NOT NULL"):
        futures[0].result(20)
    futures[1].result(20)
    assert state_of(store, good.id) is State.QUEUED


def test_nobody_is_woken_for_a_work_that_was_rolled_back(store: SqliteStore) -> None:
    woken: set[str] = set()
    watch = store.watch(woken.add)

    def body(tx: Tx) -> None:
        submit(tx, [new_run(queue="never")], namespace=HOME)
        raise LookupError

    with pytest.raises(LookupError):
        store.write(body)

    watch.close()
    assert not any("never" in key for key in woken)


def test_a_group_is_one_commit(store: SqliteStore) -> None:
    commits: list[int] = []

    def note() -> bool:
        commits.append(1)
        return False

    store._writer.set_commit_hook(note)

    with ThreadPoolExecutor(9) as pool:
        crowd = Crowd(store, pool)
        futures = [crowd.send(lambda tx: submit(tx, [new_run()], namespace=HOME)) for _ in range(8)]
        crowd.release()
        for future in futures:
            future.result(20)

    # One for the work that was held, one for the eight behind it.
    assert len(commits) == 2
    assert store.read(lambda tx: inspect.counts(tx, namespace=HOME)) == {State.QUEUED: 8}


def test_a_full_disk_is_told_and_survived(store: SqliteStore) -> None:
    kept = given_run(store)
    ((pages,),) = run_sql(store.url, "pragma page_count")
    store._writer.pragma("max_page_count", pages + 2)

    with pytest.raises(StoreUnavailable, match="full"):
        given_run(store, args='"' + "x" * 1_000_000 + '"')
    store._writer.pragma("max_page_count", 1_000_000)
    after = given_run(store)

    assert [state_of(store, run_id) for run_id in (kept, after)] == [State.QUEUED] * 2


def test_a_read_sees_one_moment_while_others_write(store: SqliteStore) -> None:
    given_run(store)

    def count_twice(tx: Tx) -> tuple[int, int]:
        first = inspect.counts(tx, namespace=HOME)[State.QUEUED]
        given_run(store)
        return first, inspect.counts(tx, namespace=HOME)[State.QUEUED]

    assert store.read(count_twice) == (1, 1)


def test_a_file_that_another_process_holds_too_long_is_unavailable(
    store: SqliteStore,
) -> None:
    run_id = given_run(store)
    other = open_store(store.url)
    assert isinstance(other, SqliteStore)
    other._writer.set_busy_timeout(50)

    def try_meanwhile(tx: Tx) -> None:
        with pytest.raises(StoreUnavailable, match="locked by another process"):
            given_run(other)

    store.write(try_meanwhile)
    other.close()

    assert look(store, run_id).state is State.QUEUED


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreUnavailable, match="file"):
        open_store(f"sqlite:///{tmp_path}/file/rota.db")
