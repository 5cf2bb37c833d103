"""A SQLite file that is locked, cannot grow or may not be written: said clearly, and got over."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from rota.app import App
from rota.errors import StoreUnavailable
from rota.settings.file import find_file
from rota.store.sqlite.store import SqliteStore
from tests.contract.builders import run_sql
from tests.integration.conftest import Serve
from tests.integration.test_worker_leases import heard
from tests.support.calls import eventually

NOBODY = 65_534
BIG = "x" * 3_000


@pytest.fixture
def store_url(sqlite_url: str) -> str:
    """Only there: the other database has outages of its own."""
    return sqlite_url


def keep(text: str) -> int:
    return len(text)


@pytest.fixture
def file(app: App) -> SqliteStore:
    store = app.store
    assert isinstance(store, SqliteStore)
    return store


def submit_until_refused(app: App) -> tuple[list[str], str]:
    """The ids of accepted runs, and what was said when one was not."""
    accepted: list[str] = []
    while len(accepted) < 500:
        try:
            accepted += [app.find_job("keep").submit(BIG).id]
        except StoreUnavailable as refused:
            return accepted, str(refused)
    raise AssertionError("nothing was refused")


def ids(url: str) -> set[str]:
    return {str(row[0]) for row in run_sql(url, "select id from rota.run")}


def test_a_file_that_another_process_locks_is_said_to_be_locked_and_used_again_after(
    app: App, file: SqliteStore, serve: Serve
) -> None:
    job = app.job(keep)
    file._writer.set_busy_timeout(200)
    serve()
    other = apsw.Connection(str(file.path))
    other.set_busy_timeout(10_000)
    with heard("store.unavailable") as went, heard("store.recovered") as came:
        other.execute("begin immediate")
        with pytest.raises(StoreUnavailable, match="locked by another process"):
            job.submit("a")
        eventually(lambda: went)
        other.execute("rollback")
        eventually(lambda: came)
    other.close()

    assert job.submit("abc").result(timeout=10) == 3


def test_runs_accepted_before_the_disk_was_full_are_kept(app: App, file: SqliteStore) -> None:
    app.job(keep)
    app.find_job("keep").submit("first")
    file._writer.pragma("max_page_count", file._writer.pragma("page_count") + 5)
    accepted, said = submit_until_refused(app)
    file._writer.pragma("max_page_count", 1_000_000)
    after = app.find_job("keep").submit(BIG).id

    assert "full" in said
    assert str(file.path) in said
    assert {*accepted, after} < ids(app.url)


def test_works_that_share_a_commit_with_one_that_fills_the_disk_are_refused_with_it(
    app: App, file: SqliteStore
) -> None:
    """SQLite may roll back everything by itself; nobody may be told that his work was done."""
    job = app.job(keep)
    job.submit("first")
    before = ids(app.url)
    file._writer.pragma("max_page_count", file._writer.pragma("page_count") + 2)
    with pytest.raises(StoreUnavailable):
        job.submit_many([BIG] * 50)
    file._writer.pragma("max_page_count", 1_000_000)

    assert ids(app.url) == before
    assert run_sql(app.url, "pragma integrity_check") == [("ok",)]


def in_a_child(body: Callable[[], str]) -> str:
    """What the body says in a process of its own, which it may ruin."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        said = "it raised something else"
        try:
            said = body()
        finally:
            os.write(writer, said.encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    os.waitpid(pid, 0)
    return said


def test_a_write_that_fails_in_the_file_system_is_an_error_and_hurts_nothing(
    app: App, file: SqliteStore
) -> None:
    app.job(keep)
    app.find_job("keep").submit("first")
    url = app.url

    def fill() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with App(url) as mine:
            mine.job(keep)
            mine.store  # noqa: B018
            size = file.path.with_name(f"{file.path.name}-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 30_000, resource.RLIM_INFINITY))
            accepted, said = submit_until_refused(mine)
            resource.setrlimit(
                resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )
            return "\n".join([said, *accepted, mine.find_job("keep").submit("last").id])

    said, *accepted = in_a_child(fill).splitlines()

    assert "cannot use the SQLite file" in said
    assert len(accepted) > 1
    assert set(accepted) < ids(url)
    assert run_sql(url, "pragma integrity_check") == [("ok",)]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may read; those of pytest are private."""
    folder = Path(tempfile.mkdtemp(prefix="rota-ro-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_file_that_may_not_be_written_is_refused_in_clear_words(open_folder: Path) -> None:
    path = open_folder / "rota.db"
    with App(f"sqlite:///{path}") as app:
        app.job(keep).submit("first")
    path.chmod(0o444)
    open_folder.chmod(0o555)

    def submit() -> str:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        try:
            with App(f"sqlite:///{path}") as mine:
                mine.job(keep).submit("second")
        except StoreUnavailable as error:
            return str(error)
        return "accepted"

    said = in_a_child(submit)
    open_folder.chmod(0o755)
    path.chmod(0o644)

    assert said.startswith(f"cannot use the SQLite file {path}: ")
    with App(f"sqlite:///{path}") as app:
        app.job(keep).submit("third")
        assert len(ids(app.url)) == 2


def test_where_nothing_may_be_looked_for_there_are_no_settings(open_folder: Path) -> None:
    """As for a service that was started from somebody's home."""
    home = open_folder / "home"
    home.mkdir()
    (home / "rota.toml").write_text("[worker]\n")
    home.chmod(0)

    def look() -> str:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        return f"found {find_file(home)}"

    said = in_a_child(look)
    home.chmod(0o700)

    assert said == "found None"
    assert find_file(home) == home / "rota.toml"
