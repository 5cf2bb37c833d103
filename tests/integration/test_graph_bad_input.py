"""Graphs that make no sense, and results that do not fit: refused by name, nothing half done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rota import App, expr
from rota.engine.jobs.definitions import jobs
from rota.engine.runs.find import counts
from rota.errors import BadArguments, BadGraph, RunFailed
from rota.notices import subscribe, unsubscribe
from tests.integration.conftest import Serve

LIMIT = 60


@pytest.fixture
def shop(app: App) -> App:
    @app.job
    def extract(day: str) -> list[int]:
        return [1, 2]

    @app.job(retries=0)
    def unsaid(value: Any) -> Any:
        return value

    @app.job(retries=0)
    def show(text: str) -> str:
        return text

    @app.job(retries=0)
    def total(numbers: list[int]) -> int:
        return sum(numbers)

    return app


def circle(app: App) -> Any:
    show = app.jobs["show"]

    @app.graph
    def flow() -> None:
        show.node(name="a", after=["b"])("x")
        show.node(name="b", after=["a"])("x")

    return flow


def missing_parent(app: App) -> Any:
    show = app.jobs["show"]

    @app.graph
    def flow() -> None:
        show.node(name="a", after=["nobody"])("x")

    return flow


def misfit(app: App) -> Any:
    @app.graph
    def flow() -> Any:
        return app.jobs["show"](app.jobs["extract"]("monday"))

    return flow


def misfit_item(app: App) -> Any:
    @app.graph
    def flow() -> Any:
        return app.jobs["show"].map(app.jobs["extract"]("monday"))

    return flow


def map_over_text(app: App) -> Any:
    @app.graph
    def flow() -> Any:
        return app.jobs["extract"].map(app.jobs["show"]("x"))

    return flow


def map_too_long(app: App) -> Any:
    @app.graph
    def flow() -> Any:
        return app.jobs["show"].map(["x"] * 100_001)

    return flow


def recursion(app: App) -> Any:
    @app.graph
    def inner() -> Any:
        return app.graphs["flow"]()

    @app.graph
    def flow() -> Any:
        return inner()

    return flow


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (circle, "in a circle: a -> b -> a"),
        (missing_parent, "node 'a': after: there is no node 'nobody'"),
        (misfit, r"node 'show': text: the result of 'extract' is list\[int\], but text is str"),
        (misfit_item, "node 'show': text: an item of the result of 'extract' is int"),
        (map_over_text, "node 'extract': map: the result of 'show' is str, not a list"),
        (map_too_long, "node 'show': map: 100,001 items are more than 100,000"),
        (recursion, "flow -> inner -> flow"),
    ],
)
def test_a_graph_that_makes_no_sense_leaves_nothing_behind(
    shop: App, make: Callable[[App], Any], says: str
) -> None:
    flow = make(shop)

    with pytest.raises(BadGraph, match=says):
        flow.submit()

    assert shop.store.read(lambda tx: counts(tx, namespace=shop.namespace)) == {}
    assert shop.store.read(lambda tx: jobs(tx, namespace=shop.namespace)) == []


def test_a_bad_submit_among_many_records_none(shop: App) -> None:
    @shop.graph
    def flow(day: str, limit: int = 3) -> Any:
        return shop.jobs["extract"](day)

    with pytest.raises(BadArguments, match="limit"):
        flow.submit_many([{"day": "monday"}, {"day": "tuesday", "limit": "much"}])

    assert shop.store.read(lambda tx: counts(tx, namespace=shop.namespace)) == {}


@pytest.mark.parametrize(
    ("value", "child", "says"),
    [
        ({"a": 1}, "total", "node 'total': its arguments do not fit"),
        ([1, "x"], "total", r"numbers\[1\]: Expected `int`, got `str`"),
        (7, "show", "node 'show': its arguments do not fit"),
        (None, "show", "text: Expected `str`, got `null`"),
    ],
)
def test_a_result_that_does_not_fit_fails_the_node_by_name(
    shop: App, serve: Serve, value: Any, child: str, says: str
) -> None:
    @shop.graph
    def flow(value: Any) -> Any:
        return shop.jobs[child](shop.jobs["unsaid"](value))

    serve()
    run = flow.submit(value)

    with pytest.raises(RunFailed, match=f"node {child} failed") as failed:
        run.result(timeout=LIMIT)

    assert failed.match(says)
    assert {view.name: view.state for view in run.nodes()} == {"unsaid": "success", child: "failed"}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": 1}, "node 'show': map.over: {'a': 1} is not a list"),
        ("text", "node 'show': map.over: 'text' is not a list"),
        (["x"] * 100_001, "node 'show': map.over: 100,001 items are more than 100,000"),
    ],
)
def test_a_list_that_is_none_or_too_long_fails_the_node_by_name(
    shop: App, serve: Serve, value: Any, says: str
) -> None:
    @shop.job
    def listed() -> Any:
        return value

    @shop.graph
    def flow() -> Any:
        return shop.jobs["show"].map(listed())

    serve()
    run = flow.submit()

    with pytest.raises(RunFailed) as failed:
        run.result(timeout=LIMIT)

    assert says in str(failed.value)
    assert {view.name: view.state for view in run.nodes()} == {
        "listed": "success",
        "show": "failed",
    }


def test_a_rerun_from_a_node_that_is_gone_names_it_and_changes_nothing(
    shop: App, serve: Serve
) -> None:
    @shop.graph
    def flow(value: Any) -> Any:
        return shop.jobs["total"](shop.jobs["unsaid"](value))

    serve()
    run = flow.submit("x")
    run.wait(timeout=LIMIT)
    before = shop.store.read(lambda tx: counts(tx, namespace=shop.namespace))

    with pytest.raises(BadGraph, match=r"graph 'flow' has no node 'totl'\. Did you mean 'total'"):
        run.rerun_nodes("from", "totl")

    assert shop.store.read(lambda tx: counts(tx, namespace=shop.namespace)) == before


def test_a_rerun_of_a_graph_that_has_lost_a_node_since_is_that_of_its_version(
    shop: App, serve: Serve
) -> None:
    def longer(value: Any) -> Any:
        return shop.jobs["total"](shop.jobs["unsaid"](value))

    def shorter(value: Any) -> Any:
        return shop.jobs["unsaid"](value)

    flow = shop.graph(name="flow")(longer)
    serve()
    run = flow.submit("x")
    run.wait(timeout=LIMIT)
    with App(shop.url) as later:
        for job in shop.jobs.values():
            later.jobs[job.name] = job
        later.graph(name="flow")(shorter).submit(1)

        again = later.run(run.id).rerun_nodes("from", "total", params={"value": [1, 2]})
        again.wait(timeout=LIMIT)

        assert [view.name for view in again.nodes()] == ["unsaid", "total"]


def test_a_graph_that_gets_no_arguments_fails_and_its_worker_goes_on(
    shop: App, serve: Serve
) -> None:
    show, extract = shop.jobs["show"], shop.jobs["extract"]

    @shop.graph
    def greet(who: dict[str, str]) -> Any:
        return show(who["name"])

    @shop.graph
    def order(n: int) -> Any:
        return show.node(after=extract("today"))(expr("'order ' + params.n"))

    told: list[str] = []

    def listen(name: str, _: dict[str, Any]) -> None:
        told.append(name)

    subscribe(listen)
    serve()
    show.submit("before").result(timeout=LIMIT)
    bad, late = greet.submit({}), order.submit(7)
    with pytest.raises(RunFailed, match=r"node 'show': args: who.name is not there"):
        bad.result(timeout=LIMIT)
    with pytest.raises(RunFailed, match=r"'order ' \+ params.n: No matching overloads found"):
        late.result(timeout=LIMIT)
    assert show.submit("after").result(timeout=LIMIT) == "after"
    unsubscribe(listen)

    assert {each.name: each.state for each in late.nodes()} == {
        "extract": "success",
        "show": "failed",
    }
    assert not {"batch.split", "service.failed", "finish.refused"} & set(told)
