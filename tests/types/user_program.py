"""A program of a user, as type checkers see it: each ignored line is an error that they find."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, assert_type

from rota import App, Client, Run, State
from rota.client.run import ServedRun

app = App("sqlite:///types.db")


@app.job
def add(a: int, b: int = 1) -> int:
    return a + b


@app.job(queue="mail", retries=3)
async def greet(name: str) -> str:
    await asyncio.sleep(0)
    return f"hello {name}"


@app.graph
def twice(a: int) -> int:
    return add(add(a))


@app.graph(queue="nightly")
def nightly(day: str) -> str:
    return day


def right() -> None:
    assert_type(add(1), int)
    assert_type(add.submit(1, b=2), Run[int])
    assert_type(add.submit(1).result(), int)
    assert_type(add.submit_many([1, (2, 3), {"a": 4}]), list[Run[int]])
    assert_type(add.with_options(queue="slow").submit(1).result("5s"), int)
    assert_type(add.after("10m").submit(1), Run[int])
    assert_type(add.at(datetime.now(UTC)).submit(1), Run[int])
    assert_type(add.submit(1).state, State)
    assert_type(greet.submit("ann").result(), str)
    assert_type(twice(1), int)
    assert_type(twice.submit(1).result(), int)
    assert_type(nightly.submit(day="2026-11-19").result(), str)
    assert_type(app.run("id"), Run[Any])


async def right_async(connection: object) -> None:
    assert_type(await greet("ann"), str)
    assert_type(await add.submit_async(1), Run[int])
    assert_type(await (await add.submit_async(1)).result_async("5s"), int)
    assert_type(await add.submit_many_async([1, 2]), list[Run[int]])
    assert_type(await add.with_options(priority="high").submit_async(1, 2), Run[int])
    assert_type(await greet.submit_async("ann"), Run[str])
    assert_type(await twice.submit_async(1), Run[int])
    assert_type(add.within(connection).submit(1), Run[int])
    assert_type(await add.within(connection).submit_async(1), Run[int])
    assert_type(await add.within(connection).submit_many_async([1]), list[Run[int]])
    client = Client("http://127.0.0.1:1", token="x")
    assert_type(client.submit("add", 1), ServedRun)
    assert_type(await client.submit_async("add", 1), ServedRun)


def wrong() -> None:
    add.submit("one")  # type: ignore[arg-type]
    add.submit()  # type: ignore[call-arg]
    add.submit(1, c=2)  # type: ignore[call-arg]
    add("one")  # type: ignore[arg-type]
    twice.submit("one")  # type: ignore[arg-type]
    nightly.submit(1)  # type: ignore[arg-type]
    add.with_options(queue="slow").submit("one")  # type: ignore[arg-type]
    greet.submit(1).result().bit_length()  # type: ignore[arg-type, attr-defined]
    add.submit(1).result(timeout=[])  # type: ignore[arg-type]
    add.submit(1).results()  # type: ignore[attr-defined]
    app.job(retries=3)(5)  # type: ignore[call-overload]


async def wrong_async() -> None:
    await add.submit_async("one")  # type: ignore[arg-type]
    await add.submit(1)  # type: ignore[misc]
    (await add.submit_async(1)).result().upper()  # type: ignore[attr-defined]
    await add.within(object()).submit_async()  # type: ignore[call-arg]
