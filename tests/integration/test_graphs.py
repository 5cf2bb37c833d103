"""Graphs in Python, carried out by a real worker on both stores."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import pytest

from rota import App, current_run
from rota.errors import RunFailed
from rota.model.states import State
from tests.integration.conftest import Serve

LIMIT = 30


def make_jobs(app: App) -> None:
    @app.job
    def one(x: int) -> int:
        return x + 1

    @app.job
    def total(xs: list[int]) -> int:
        return sum(xs)

    @app.job
    def numbers(n: int) -> list[int]:
        return list(range(n))

    @app.job(retries=3, backoff="none")
    def shaky(x: int) -> int:
        if current_run().attempt == 1:
            raise ValueError("first attempts fail")
        return x

    @app.job(retries=0)
    def broken(x: int) -> int:
        raise ValueError(f"cannot take {x}")


def make_graphs(app: App) -> None:
    one, total, numbers, shaky, broken = (
        app.find_job(name) for name in ("one", "total", "numbers", "shaky", "broken")
    )

    @app.graph
    def diamond(n: int = 1) -> Any:
        first = shaky(n)
        return total([one(first), one(first)])

    @app.graph
    def spread(n: int) -> Any:
        return total(one.node(concurrency=4).map(numbers(n)))

    @app.graph
    def outer(n: int) -> Any:
        return one(diamond(n))

    @app.graph
    def failing(n: int) -> Any:
        return one(broken(n))


@pytest.fixture
def graphs(app: App) -> App:
    make_jobs(app)
    make_graphs(app)
    return app


def test_results_pass_from_node_to_node(graphs: App, serve: Serve) -> None:
    serve()
    run = graphs.graphs["diamond"].submit(4)
    assert run.result(LIMIT) == 10
    assert [(node.name, node.state) for node in run.nodes()] == [
        ("shaky", "success"), ("one", "success"), ("one_2", "success"), ("total", "success")
    ]  # fmt: skip
    assert graphs.graphs["spread"].submit(50).result(LIMIT) == 50 * 51 // 2
    assert graphs.graphs["outer"].submit(4).result(LIMIT) == 11


def test_a_failure_is_told_by_the_graph_and_what_is_mended_goes_on(
    graphs: App, serve: Serve
) -> None:
    serve()
    run = graphs.graphs["failing"].submit(7)
    with pytest.raises(RunFailed, match="node broken failed: ValueError"):
        run.result(LIMIT)
    states = {node.name: (node.state, node.reason) for node in run.nodes()}
    assert states["broken"] == ("failed", "ValueError: cannot take 7")
    again = run.rerun_nodes()
    assert again.wait(LIMIT).state == "failed"
    assert again.show().rerun_of == run.id


def test_a_cancel_stops_the_work_and_clears_away(app: App, serve: Serve) -> None:
    done: list[str] = []
    begun = Event()

    @app.job
    def cluster(what: str) -> str:
        done.append(what)
        return what

    @app.job(retries=0)
    def work(on: str) -> None:
        begun.set()
        while True:
            current_run().check()
            time.sleep(0.01)

    @app.graph
    def job() -> Any:
        up = cluster.node(kind="setup")("up")
        worked = work(up)
        cluster.node(name="down", kind="teardown", setups=up, after=worked)("down")
        return worked

    serve()
    run = job.submit()
    assert begun.wait(LIMIT)

    assert run.cancel("no need") == "suspended"

    ended = run.wait(LIMIT)
    assert (ended.state, ended.reason) == ("cancelled", "no need")
    assert done == ["up", "down"]


def test_a_node_that_is_a_graph_has_retries_and_a_timeout(app: App, serve: Serve) -> None:
    tries: list[str] = []

    @app.job(retries=0)
    def shaky() -> int:
        tries.append("shaky")
        if len(tries) < 3:
            raise ValueError("not yet")
        return len(tries)

    @app.job(retries=0)
    def slow() -> None:
        while True:
            current_run().check()
            time.sleep(0.01)

    @app.graph
    def inner() -> Any:
        return shaky()

    @app.graph
    def sleepy() -> Any:
        return slow()

    @app.graph
    def outer() -> Any:
        return inner.node(retries=2)()

    @app.graph
    def late() -> Any:
        return sleepy.node(timeout="300ms")()

    serve()

    assert outer.submit().result(LIMIT) == 3
    with pytest.raises(RunFailed, match="node sleepy failed: ran longer than its timeout of 300"):
        late.submit().result(LIMIT)


def test_a_rerun_does_only_those_items_that_have_not_succeeded(app: App, serve: Serve) -> None:
    done: list[int] = []

    @app.job(retries=0)
    def item(x: int) -> int:
        done.append(x)
        if x == 7 and done.count(7) == 1:
            raise ValueError("broken")
        return x

    @app.job
    def total(xs: list[int]) -> int:
        return sum(xs)

    @app.graph
    def wide() -> Any:
        return total(item.node(concurrency=1).map(list(range(12))))

    serve()
    run = wide.submit()
    assert run.wait(LIMIT).state == "failed"

    again = run.rerun_nodes()

    assert again.result(LIMIT) == sum(range(12))
    assert done == [*range(8), *range(7, 12)], "what succeeded is not done again"


def test_a_graph_is_submitted_in_all_the_ways_that_a_job_is(graphs: App, serve: Serve) -> None:
    diamond = graphs.graphs["diamond"]
    graphs.define([diamond])
    assert diamond.job.version == 1

    @graphs.job(retries=0)
    def order(n: Any) -> str:
        return str(current_run().commit(lambda tx: tx.submit(diamond.with_options(priority=3), n)))

    @graphs.job(retries=0)
    def plain(n: int) -> str:
        return str(current_run().commit(lambda tx: tx.submit(graphs.graphs["outer"], n)))

    serve()
    later = diamond.after("200ms").submit(4)
    timed = diamond.at(datetime.now(UTC) + timedelta(milliseconds=200)).submit(4)
    inside = graphs.run(order.submit(4).result(LIMIT))
    nested = graphs.run(plain.submit(4).result(LIMIT))

    assert (inside.result(LIMIT), inside.show().priority) == (10, 3)
    assert nested.result(LIMIT) == 11
    assert (later.result(LIMIT), timed.result(LIMIT)) == (10, 10)
    refused = order.submit("four").wait(LIMIT)
    assert (refused.state, refused.error and refused.error.type) == (
        State.FAILED,
        "rota.errors.BadArguments",
    )
