"""Submits inside the caller's own transaction: they exist if and only if it is committed."""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
import sqlalchemy
from sqlalchemy.pool import StaticPool

from rota.app import App, Job
from rota.errors import BadArguments, DuplicateKey, UnknownRun, WrongConnection
from rota.model.states import State
from rota.store.foreign import connections as foreign
from rota.store.foreign import tx as foreign_tx
from tests.contract.builders import run_sql
from tests.support.connections import KINDS, driver_at, engine_at, open_kind

TRIES = 1000

every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def app(empty_url: str) -> Iterator[App]:
    """On SQLite its store is closed: two copies of SQLite must not meet in one process."""
    with App(empty_url) as app:
        app.store.close()
        app.close()
        yield app


@pytest.fixture
def add(app: App) -> Job[..., int]:
    @app.job(queue="sums", priority="high")
    def add(a: int, b: int = 1) -> int:
        return a + b

    return add


def numbers(app: App) -> list[str]:
    with closing(driver_at(app.url)) as eye:
        table = "rota_run" if app.url.startswith("sqlite") else "rota.run"
        return sorted(row[0] for row in eye.execute(f"select args from {table}"))


@every_kind
def test_a_submit_exists_once_the_transaction_is_committed(
    app: App, add: Job[..., int], kind: str
) -> None:
    with open_kind(kind, app.url) as mine:
        run = add.within(mine.connection).submit(1, b=2)
        before = numbers(app)
        mine.commit()

    assert before == []
    view = run.show()
    assert (view.state, view.queue, view.priority) == (State.QUEUED, "sums", 10)
    assert (view.args, view.version) == ('{"a":1,"b":2}', 1)


def test_a_submit_is_not_of_a_millisecond_that_is_to_come(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    almost_the_next = SimpleNamespace(time=lambda: 1_800_000_000.000_9)
    monkeypatch.setattr(foreign_tx, "time", almost_the_next)
    with App(sqlite_url) as app:

        @app.job
        def noop() -> None: ...

        app.store.close()
        app.close()
        with open_kind("driver", sqlite_url) as mine:
            noop.within(mine.connection).submit()
            (made,) = mine.execute("select created_at from rota_run").fetchall()

    assert made == (1_800_000_000_000,)


@every_kind
def test_a_submit_in_a_rolled_back_transaction_leaves_nothing(
    app: App, add: Job[..., int], kind: str
) -> None:
    with open_kind(kind, app.url) as mine:
        add.within(mine.connection).submit(1, 2)
        mine.rollback()
        add.within(mine.connection).submit_many([(3, 4), {"a": 5}, 6])
        mine.commit()

    assert numbers(app) == ['{"a":3,"b":4}', '{"a":5}', '{"a":6}']


@every_kind
def test_a_thousand_random_ends_leave_exactly_the_committed_runs(
    app: App, add: Job[..., int], kind: str
) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    kept = []
    run_sql(app.url, "drop table if exists ordered")
    run_sql(app.url, "create table ordered (number int)")
    with open_kind(kind, app.url) as mine:
        for number in range(TRIES):
            mine.execute(f"insert into ordered values ({number})")
            add.within(mine.connection).submit(number, 0)
            if chance.random() < 0.5:
                mine.commit()
                kept.append(number)
            else:
                mine.rollback()

    assert numbers(app) == sorted(f'{{"a":{number},"b":0}}' for number in kept), seed
    assert run_sql(app.url, "select number from ordered order by 1") == [(n,) for n in kept]


@every_kind
def test_options_go_with_it(app: App, add: Job[..., int], kind: str) -> None:
    with open_kind(kind, app.url) as mine:
        later = add.with_options(delay="1h", queue="slow").within(mine.connection).submit(1, 2)
        mine.commit()

    view = later.show()
    assert (view.state, view.queue) == (State.SCHEDULED, "slow")
    assert view.due_at.ms - view.created_at.ms == 3_600_000


@every_kind
def test_a_key_counts_across_both_ways_to_submit(app: App, add: Job[..., int], kind: str) -> None:
    keyed = add.with_options(key="order-17")
    first = keyed.submit(1, 2)
    app.close()
    with open_kind(kind, app.url) as mine:
        same = keyed.within(mine.connection).submit(1, 2)
        with pytest.raises(DuplicateKey):
            keyed.within(mine.connection).submit(1, 3)
        fresh = add.with_options(key="order-18").within(mine.connection).submit(5)
        mine.commit()

    assert same.id == first.id
    assert add.with_options(key="order-18").submit(5).id == fresh.id
    assert len(numbers(app)) == 2


def test_a_key_in_a_transaction_that_is_rolled_back_is_free(app: App, add: Job[..., int]) -> None:
    with open_kind("driver", app.url) as mine:
        gone = add.with_options(key="x").within(mine.connection).submit(1)
        mine.rollback()

    run = add.with_options(key="x").submit(2)

    assert run.id != gone.id
    assert numbers(app) == ['{"a":2}']


def test_bad_arguments_are_refused_as_always(app: App, add: Job[..., int]) -> None:
    with open_kind("driver", app.url) as mine, pytest.raises(BadArguments):
        add.within(mine.connection).submit("one")


def test_a_connection_that_commits_by_itself_is_refused(app: App, add: Job[..., int]) -> None:
    loose = {"isolation_level": None} if app.url.startswith("sqlite") else {"autocommit": True}
    with closing(driver_at(app.url, **loose)) as mine:
        with pytest.raises(WrongConnection, match="autocommit"):
            add.within(mine).submit(1)
        mine.execute("begin")
        add.within(mine).submit(2)
        mine.execute("rollback")
    with (
        engine_at(app.url, isolation_level="AUTOCOMMIT") as engine,
        engine.connect() as mine,
        pytest.raises(WrongConnection, match="autocommit"),
    ):
        add.within(mine).submit(1)

    assert numbers(app) == []


def test_another_database_is_refused(
    app: App, add: Job[..., int], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if app.url.startswith("sqlite"):
        other = f"sqlite:///{tmp_path}/other.db"
    else:
        other = request.getfixturevalue("postgres_url")
    with closing(driver_at(other)) as mine, pytest.raises(WrongConnection, match="without the"):
        add.within(mine)
    with App(other) as elsewhere:
        elsewhere.store.close()
    with closing(driver_at(other)) as mine, pytest.raises(WrongConnection, match="another data"):
        add.within(mine)


def test_another_kind_of_database_is_refused(empty_postgres_url: str) -> None:
    with (
        App(empty_postgres_url) as app,
        closing(sqlite3.connect(":memory:")) as mine,
        pytest.raises(WrongConnection, match="to sqlite, the app is on postgres"),
    ):
        app.job(name="noop")(lambda: None).within(mine)


def test_two_copies_of_sqlite_do_not_meet_on_one_file(sqlite_url: str) -> None:
    with App(sqlite_url) as app:
        noop = app.job(name="noop")(lambda: None)
        noop.submit()
        with closing(driver_at(app.url)) as mine:
            with pytest.raises(WrongConnection, match=r"has .* open in this process"):
                noop.within(mine)
            app.close()
            run = noop.within(mine).submit()
            mine.commit()
            with pytest.raises(WrongConnection, match=r"a sqlite3 connection to .* is open"):
                run.show()
        assert run.state is State.QUEUED


def test_a_connection_of_apsw_may_be_used_beside_an_open_store(sqlite_url: str) -> None:
    with App(sqlite_url) as app:
        noop = app.job(name="noop")(lambda: None)
        noop.submit()
        with open_kind("apsw", app.url) as mine:
            run = noop.within(mine.connection).submit()
            mine.commit()
            assert run.state is State.QUEUED


@pytest.mark.parametrize("thing", [object(), "sqlite:///rota.db", None, sqlalchemy])
def test_an_object_that_is_no_connection_is_refused(
    app: App, add: Job[..., int], thing: object
) -> None:
    with pytest.raises(WrongConnection, match="not a connection that Rota knows"):
        add.within(thing)


def test_an_sqlite_that_is_too_old_is_named(
    app: App, add: Job[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "OLDEST_SQLITE", (4, 0, 0))

    with (
        closing(sqlite3.connect(":memory:")) as mine,
        pytest.raises(WrongConnection, match=r"needs 4\.0\.0"),
    ):
        add.within(mine)


def test_a_row_factory_of_the_owner_does_no_harm(app: App, add: Job[..., int]) -> None:
    with closing(driver_at(app.url)) as mine:
        if app.url.startswith("sqlite"):
            mine.row_factory = sqlite3.Row
        else:
            mine.row_factory = psycopg.rows.scalar_row
        add.with_options(key="k").within(mine).submit(1)
        mine.commit()

    assert numbers(app) == ['{"a":1}']


def test_a_wake_up_is_sent_with_the_commit_and_not_more_often_than_it_helps(
    empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ten_in_one_rest = itertools.count(100.0, foreign_tx.QUIET_S / 9.5)
    monkeypatch.setattr(foreign_tx, "elapsed_s", lambda: next(ten_in_one_rest))
    monkeypatch.setattr(foreign_tx, "_quiet", foreign_tx._Quiet())
    with App(empty_postgres_url) as app, psycopg.connect(app.url, autocommit=True) as ear:
        noop = app.job(name="noop")(lambda: None)
        ear.execute("listen rota")
        with psycopg.connect(app.url) as mine:
            for _ in range(50):
                noop.within(mine).submit()
                mine.commit()
            mine.execute("notify rota, 'over'")
        heard = [notice.payload for notice in ear.notifies(timeout=60, stop_after=6)]

    assert heard == [*["default/default"] * 5, "over"]


def test_a_session_of_a_shared_sqlite_connection_works(tmp_path: Path) -> None:
    with App(f"sqlite:///{tmp_path}/rota.db") as app:
        noop = app.job(name="noop")(lambda: None)
        app.store.close()
        app.close()
        with engine_at(app.url, poolclass=StaticPool) as engine, engine.begin() as mine:
            run = noop.within(mine).submit()
        assert run.state is State.QUEUED


@every_kind
def test_a_graph_is_submitted_within_a_transaction_like_a_job(
    app: App, add: Job[..., int], kind: str
) -> None:
    @app.graph
    def twice(a: int) -> int:
        return add(add(a))

    with open_kind(kind, app.url) as mine:
        gone = twice.within(mine.connection).submit(1)
        mine.rollback()
        run = twice.with_options(priority=3).within(mine.connection).submit(2)
        with pytest.raises(BadArguments):
            twice.within(mine.connection).submit("two")  # type: ignore[arg-type]
        mine.commit()

    table = "rota_job" if app.url.startswith("sqlite") else "rota.job"
    with closing(driver_at(app.url)) as eye:
        names = {row[0] for row in eye.execute(f"select name from {table}")}
    assert names == {"add", "twice"}
    assert numbers(app) == ['{"a":2}']
    assert app.run(run.id).show().priority == 3
    with pytest.raises(UnknownRun):
        app.run(gone.id).show()
