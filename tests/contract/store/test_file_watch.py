"""What another process writes into a SQLite file is heard: by its log, and by looking."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Event

import apsw
import pytest

from rota.engine.runs.submit import submit
from rota.engine.wakeup_keys import queue_key
from rota.store.base import Store
from rota.store.open import open_store
from rota.store.sqlite import file_watch
from rota.store.sqlite.file_watch import FileListener
from rota.store.sqlite.store import SqliteStore
from rota.store.wakeups import EVERYWHERE
from tests.contract.builders import HOME, new_run
from tests.support.races import at_once

FOREVER_S = 60.0
DEADLINE_S = 20.0
KEY = queue_key(HOME, "default")
SUBMIT = """
import sys
from rota.engine.runs.submit import submit
from rota.store.open import open_store
from tests.contract.builders import HOME, new_run
store = open_store(sys.argv[1])
store.write(lambda tx: submit(tx, [new_run()], namespace=HOME))
store.close()
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is of Linux")


def _submit_elsewhere(store: Store) -> None:
    subprocess.run([sys.executable, "-c", SUBMIT, store.url], check=True, timeout=FOREVER_S)


def _submit_here(store: Store) -> None:
    store.write(lambda tx: submit(tx, [new_run()], namespace=HOME))


@pytest.fixture
def shared(sqlite_url: str) -> Iterator[SqliteStore]:
    """A store of its own, whose watch does not keep a test waiting for its next look."""
    store = open_store(sqlite_url)
    assert isinstance(store, SqliteStore)
    yield store
    store._file_watch._stopping.set()
    _submit_here(store)
    store.close()


class Heard:
    """The keys that came, and when somebody else's did."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.elsewhere = Event()

    def __call__(self, key: str) -> None:
        self.keys.append(key)
        if key == EVERYWHERE:
            self.elsewhere.set()


class Broken:
    """A connection to a disk that does not answer."""

    def __init__(self) -> None:
        self.asked = Event()

    def pragma(self, _: str) -> int:
        self.asked.set()
        raise apsw.IOError("disk I/O error")


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


@on_linux
def test_the_log_tells_of_another_process_without_a_look(
    shared: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_watch, "LOOK_S", FOREVER_S)
    heard = Heard()
    with closing(shared.watch(heard)):
        _submit_elsewhere(shared)
        assert heard.elsewhere.wait(DEADLINE_S)


def test_a_look_tells_of_another_process_where_the_system_cannot(
    shared: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_watch, "watched", lambda *_: None)
    heard = Heard()
    with closing(shared.watch(heard)):
        _submit_elsewhere(shared)
        assert heard.elsewhere.wait(DEADLINE_S)


def test_writes_of_this_process_wake_by_their_key_alone(shared: SqliteStore) -> None:
    heard = Heard()
    with closing(shared.watch(heard)):
        for _ in range(50):
            _submit_here(shared)
        assert set(heard.keys) == {KEY}
        _submit_elsewhere(shared)
        assert heard.elsewhere.wait(DEADLINE_S)


def test_a_process_that_writes_all_the_time_hears_others_still(shared: SqliteStore) -> None:
    heard = Heard()
    with closing(shared.watch(heard)):
        other = subprocess.Popen([sys.executable, "-c", SUBMIT, shared.url])
        while other.poll() is None:
            _submit_here(shared)
        assert other.returncode == 0
        assert heard.elsewhere.wait(DEADLINE_S)


@on_linux
def test_the_log_is_found_behind_a_link(
    shared: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(shared.path)
    monkeypatch.setattr(file_watch, "LOOK_S", FOREVER_S)
    linked, heard = open_store(f"sqlite:///{link}"), Heard()
    assert isinstance(linked, SqliteStore)
    with closing(linked), closing(linked.watch(heard)):
        _submit_here(shared)
        assert heard.elsewhere.wait(DEADLINE_S)
        assert linked.facts()["wal_bytes"] == shared.facts()["wal_bytes"] != 0
        linked._file_watch._stopping.set()
        _submit_here(shared)


def test_a_look_that_fails_is_not_the_last(
    shared: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_watch, "watched", lambda *_: None)
    heard, broken = Heard(), Broken()
    with closing(shared.watch(heard)):
        writer, shared._writer = shared._writer, broken  # type: ignore[assignment]
        assert broken.asked.wait(DEADLINE_S)
        shared._writer = writer
        _submit_elsewhere(shared)
        assert heard.elsewhere.wait(DEADLINE_S)


def test_many_who_watch_at_once_share_one_thread(shared: SqliteStore) -> None:
    before = set(threading.enumerate())

    at_once(*[partial(shared.watch, Heard())] * 8)

    begun = set(threading.enumerate()) - before
    assert [each.name for each in begun] == ["rota-file-watch"]


def test_a_watch_of_a_closed_store_leaves_nothing_open(shared: SqliteStore) -> None:
    store = open_store(shared.url)
    store.close()
    before = _open_files()

    with suppress(apsw.Error):
        store.watch(Heard())

    assert _open_files() == before


@on_linux
def test_an_ear_hears_each_write_until_it_forgets(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch()
    with closing(FileListener(path)) as ear:
        assert not ear.hears(0)
        path.write_text("one")
        assert ear.hears(DEADLINE_S)
        assert ear.hears(0)
        ear.forget()
        assert not ear.hears(0)
        ear.forget()
        path.write_text("two")
        assert ear.hears(DEADLINE_S)


def test_an_ear_at_a_file_that_is_not_there_is_deaf(tmp_path: Path) -> None:
    with closing(FileListener(tmp_path / "none")) as ear:
        assert not ear.hears(0)
        ear.forget()
