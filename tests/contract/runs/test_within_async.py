"""Submits inside a transaction of an event loop: they exist if and only if it is committed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from rota.app import App, Job
from rota.errors import BadArguments, DuplicateKey, UnknownRun, WrongConnection
from rota.model.states import State
from rota.store.foreign.receipts import Receipts
from tests.contract.builders import run_sql
from tests.support.async_connections import POSTGRES_KINDS, SQLITE_KINDS, open_async
from tests.support.connections import driver_at

TRIES = 200
LIMIT = 60

every_kind = pytest.mark.parametrize(
    ("database", "kind"),
    [
        *(("sqlite", kind) for kind in SQLITE_KINDS),
        *(pytest.param("postgres", kind, marks=pytest.mark.postgres) for kind in POSTGRES_KINDS),
    ],
)


@pytest.fixture
def database() -> str:
    return "postgres"


@pytest.fixture
def app(database: str, request: pytest.FixtureRequest) -> Iterator[App]:
    """On SQLite its store is closed: two copies of SQLite must not meet in one process."""
    name = "sqlite_url" if database == "sqlite" else "empty_postgres_url"
    with App(request.getfixturevalue(name)) as app:
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


def go(main: Coroutine[Any, Any, Any]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(LIMIT):
            await main

    asyncio.run(in_time())


@every_kind
def test_a_submit_exists_once_the_transaction_is_committed(
    app: App, add: Job[..., int], kind: str
) -> None:
    async def main() -> None:
        async with open_async(kind, app.url) as mine:
            await add.within(mine.connection).submit_async(1, b=2)
            assert numbers(app) == []
            await mine.commit()
            await add.within(mine.connection).submit_async(9)
            await mine.rollback()
            later = add.with_options(delay="1h", queue="slow").within(mine.connection)
            await later.submit_many_async([(3, 4), {"a": 5}, 6])
            await mine.commit()

    go(main())

    assert numbers(app) == ['{"a":1,"b":2}', '{"a":3,"b":4}', '{"a":5}', '{"a":6}']
    views = {str(view.args): view for view in app.runs()}
    view = views['{"a":1,"b":2}']
    assert (view.state, view.queue, view.priority, view.version) == (State.QUEUED, "sums", 10, 1)
    assert (views['{"a":5}'].state, views['{"a":5}'].queue) == (State.SCHEDULED, "slow")


@every_kind
def test_random_ends_leave_exactly_the_committed_runs(
    app: App, add: Job[..., int], kind: str
) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    kept = []
    run_sql(app.url, "drop table if exists ordered")
    run_sql(app.url, "create table ordered (number int)")

    async def main() -> None:
        async with open_async(kind, app.url) as mine:
            for number in range(TRIES):
                await mine.execute(f"insert into ordered values ({number})")
                await add.within(mine.connection).submit_async(number, 0)
                if chance.random() < 0.5:
                    await mine.commit()
                    kept.append(number)
                else:
                    await mine.rollback()

    go(main())

    assert numbers(app) == sorted(f'{{"a":{number},"b":0}}' for number in kept), seed
    assert run_sql(app.url, "select number from ordered order by 1") == [(n,) for n in kept]


@every_kind
def test_keys_and_bad_arguments_are_as_always(app: App, add: Job[..., int], kind: str) -> None:
    first = add.with_options(key="k").submit(1)
    app.close()

    async def main() -> None:
        async with open_async(kind, app.url) as mine:
            keyed = add.with_options(key="k").within(mine.connection)
            assert (await keyed.submit_async(1)).id == first.id
            with pytest.raises(DuplicateKey):
                await keyed.submit_async(2)
            with pytest.raises(BadArguments):
                await keyed.submit_async("one")
            await mine.rollback()

    go(main())


@every_kind
def test_a_graph_is_submitted_like_a_job(app: App, add: Job[..., int], kind: str) -> None:
    @app.graph
    def twice(a: int) -> int:
        return add(add(a))

    async def main() -> str:
        async with open_async(kind, app.url) as mine:
            gone = await twice.within(mine.connection).submit_async(1)
            await mine.rollback()
            await twice.within(mine.connection).submit_async(2)
            await mine.commit()
            return gone.id

    gone = asyncio.run(main())

    assert numbers(app) == ['{"a":2}']
    with pytest.raises(UnknownRun):
        app.run(gone).show()


@pytest.mark.postgres
@pytest.mark.parametrize("kind", ["psycopg", "asyncpg"])
def test_a_submit_that_is_cancelled_leaves_its_connection_usable(
    app: App, add: Job[..., int], kind: str
) -> None:
    app.define([add])

    async def main() -> None:
        async with open_async(kind, app.url) as one, open_async(kind, app.url) as other:
            keyed = add.with_options(key="k")
            await keyed.within(one.connection).submit_async(1)
            blocked = asyncio.create_task(keyed.within(other.connection).submit_async(1))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await blocked
            await other.rollback()
            await one.commit()
            await add.within(other.connection).submit_async(2)
            await other.commit()

    go(main())

    assert numbers(app) == ['{"a":1}', '{"a":2}']


@pytest.mark.postgres
def test_submits_that_wait_for_each_other_do_not_starve_the_one_they_wait_for(
    app: App, add: Job[..., int]
) -> None:
    app.define([add])

    async def main() -> None:
        async def same() -> None:
            async with open_async("psycopg", app.url) as mine:
                await add.with_options(key="k").within(mine.connection).submit_async(1)
                await mine.commit()

        async with open_async("psycopg", app.url) as first:
            await add.with_options(key="k").within(first.connection).submit_async(1)
            waiting = [asyncio.create_task(same()) for _ in range(40)]
            await asyncio.sleep(0.2)
            await add.within(first.connection).submit_async(2)
            await first.commit()
            await asyncio.gather(*waiting)

    go(main())

    assert numbers(app) == ['{"a":1}', '{"a":2}']


@pytest.mark.postgres
def test_a_connection_that_commits_by_itself_is_refused(app: App, add: Job[..., int]) -> None:
    async def main() -> None:
        loose = await psycopg.AsyncConnection.connect(app.url, autocommit=True)
        async with loose:
            with pytest.raises(WrongConnection, match="autocommit"):
                await add.within(loose).submit_async(1)
        async with open_async("asyncpg", app.url) as mine:
            await mine.execute("rollback")
            with pytest.raises(WrongConnection, match="autocommit"):
                await add.within(mine.connection).submit_async(1)
            async with mine.connection.transaction():
                await add.within(mine.connection).submit_async(2)

    go(main())

    assert numbers(app) == ['{"a":2}']


@pytest.mark.postgres
def test_each_colour_of_connection_names_the_verb_that_it_takes(
    app: App, add: Job[..., int]
) -> None:
    async def main() -> None:
        async with open_async("psycopg", app.url) as mine:
            with pytest.raises(WrongConnection, match=r"is asynchronous: await submit_async\(\)"):
                add.within(mine.connection).submit(1)
            with pytest.raises(WrongConnection, match="is asynchronous; give a synchronous"):
                Receipts(mine.connection)
        with (
            closing(driver_at(app.url)) as blocking,
            pytest.raises(WrongConnection, match=r"is synchronous: call submit\(\)"),
        ):
            await add.within(blocking).submit_async(1)

    go(main())


def test_two_copies_of_sqlite_do_not_meet_on_one_file(sqlite_url: str) -> None:
    async def main() -> None:
        async with open_async("session", sqlite_url) as mine:
            with pytest.raises(WrongConnection, match=r"has .* open in this process"):
                await noop.within(mine.connection).submit_async()

    with App(sqlite_url) as app:
        noop = app.job(name="noop")(lambda: None)
        noop.submit()
        go(main())
