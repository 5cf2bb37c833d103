"""Graphs from Python: calls make nodes inside a graph, and stay calls outside."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rota import App, BadGraph, expr, group
from rota.errors import BadArguments, BadOption, NotAllowed
from rota.model.graphs.graph import Graph, Map, Node, Parameter
from rota.rules.graphs.options import read_graph

app = App("sqlite:///never-opened.db")


@app.job
def extract(day: str) -> list[int]:
    return [1, 2, 3]


@app.job
def clean(rows: list[int], limit: int = 10) -> dict[str, Any]:
    return {"rows": rows[:limit], "count": len(rows)}


@app.job
def load(row: int, table: str = "t", retries: int = 0) -> int:
    return row * 2


@app.job
def report(parts: list[int], note: str = "") -> str:
    return f"{parts}{note}"


@app.job
async def notify(text: str) -> None:
    return None


ping = app.command("ping-host", ["ping", "{host}"])


@app.graph(mode="finish", max_nodes=4)
def nightly(day: str, limit: int = 5) -> str:
    """Loads a day."""
    good = clean.node(retries=3, timeout="5m")(extract(day), limit=limit)
    with group("load"):
        parts = load.node(concurrency=10, tolerate="5%").map(good["rows"], table="sales")
    return report.node(when=good["count"] > 0, join="none_failed")(parts)


def nodes_of(graph: Graph) -> dict[str, Node]:
    return {node.name: node for node in graph.nodes}


def test_calls_make_nodes_and_results_make_edges() -> None:
    assert nightly.graph == Graph(
        name="nightly",
        description="Loads a day.",
        mode="finish",
        max_nodes=4,
        parameters={"day": Parameter(type="str"), "limit": Parameter(type="int", default=5)},
        result={"$ref": "report"},
        nodes=(
            Node(name="extract", job="extract", args={"day": {"$param": "day"}}),
            Node(
                name="clean",
                job="clean",
                args={"rows": {"$ref": "extract"}, "limit": {"$param": "limit"}},
                retries=3,
                timeout="5m",
            ),
            Node(
                name="load",
                job="load",
                args={"table": "sales"},
                map=Map(over={"$ref": "clean.rows"}, into="row", concurrency=10, tolerate="5%"),
                group="load",
            ),
            Node(
                name="report",
                job="report",
                args={"parts": {"$ref": "load"}},
                join="none_failed",
                when="nodes.clean.result.count > 0",
            ),
        ),
    )
    assert list(nightly.plan.nodes) == ["extract", "clean", "load", "report"]


def test_a_graph_is_the_same_data_in_json() -> None:
    text = msgspec.json.encode(nightly.graph)

    assert read_graph("nightly", msgspec.json.decode(text)) == nightly.graph


def test_outside_of_a_graph_all_are_plain_functions() -> None:
    assert extract("monday") == [1, 2, 3]
    assert load.map([1, 2]) == [2, 4]
    assert clean.node(retries=3)([1, 2], limit=1) == {"rows": [1], "count": 2}
    assert report.node(when=False)([1]) is None
    assert nightly("monday") == "[2, 4, 6]"
    with pytest.raises(NotAllowed, match="for graphs that run"):
        report.node(when="nodes.clean.result > 0")([1])
    with pytest.raises(NotAllowed, match="for graphs that run"):
        expr("params.n")


def test_options_never_collide_with_the_parameters_of_a_job() -> None:
    @app.graph(name="collisions")
    def graph() -> None:
        load.node(retries=7)(1, retries=2)

    node = nodes_of(graph.graph)["load"]
    assert (node.retries, node.args) == (7, {"row": 1, "retries": 2})


def test_names_are_those_of_the_jobs_made_unique() -> None:
    @app.graph(name="names")
    def graph() -> None:
        first = extract("a")
        extract.node(after=first)("b")
        extract.node(name="third", after=[first, "extract_2"])("c")
        ping("localhost")
        notify.node()("x")

    made = nodes_of(graph.graph)
    assert list(made) == ["extract", "extract_2", "third", "ping_host", "notify"]
    assert made["third"].after == ("extract", "extract_2")
    assert made["ping_host"].job == "ping-host"


def test_a_reference_is_computed_with_a_float_whatever_number_it_is() -> None:
    @app.graph(name="scaled")
    def graph(n: int) -> None:
        load.node(name="a")(n * 2.5)  # type: ignore[arg-type]  # a reference
        load.node(name="b")(1.5 - (n + 1) / 2.0)  # type: ignore[arg-type]  # a reference
        load.node(name="c", when=n > 2.5)(n)

    made = nodes_of(graph.graph)
    assert made["a"].args == {"row": {"$expr": "double(params.n) * 2.5"}}
    assert made["b"].args == {"row": {"$expr": "1.5 - double(double(params.n + 1) / 2.0)"}}
    assert made["c"].when == "params.n > 2.5"


def test_references_can_be_compared_and_computed_with() -> None:
    @app.graph(name="computed")
    def graph(n: int) -> None:
        good = clean([1])
        wanted = (good["count"] > n) & ~(good["odd key"][0] == 'a"b')
        load.node(when=wanted, name="a")(n * 2 + 1)
        load.node(when=good.state != "skipped", name="b")(expr("params.n - 1"))  # type: ignore[attr-defined]

    made = nodes_of(graph.graph)
    assert made["a"].when == (
        '(nodes.clean.result.count > params.n) && !(nodes.clean.result["odd key"][0] == "a\\"b")'
    )
    assert made["a"].args == {"row": {"$expr": "(params.n * 2) + 1"}}
    assert made["b"].when == 'nodes.clean.state != "skipped"'
    assert made["b"].args == {"row": {"$expr": "params.n - 1"}}
    assert graph.plan.nodes["a"].parents == ("clean",)


def test_references_have_no_value_yet() -> None:
    def iterate() -> None:
        for _ in extract("a"):
            pass

    def decide() -> None:
        if clean([1])["count"] > 0:
            pass

    def write() -> None:
        extract(f"{extract('a')}.csv")

    for name, function, says in (
        ("i", iterate, r"use .map"),
        ("d", decide, "say `when=`"),
        ("w", write, "join texts with"),
    ):
        with pytest.raises(BadGraph, match=f"known only when the graph runs; {says}"):
            _ = app.graph(name=name)(function).graph


def test_a_graph_is_a_node_of_another() -> None:
    @app.graph(name="week")
    def week(days: list[str]) -> None:
        with group("all"), group("inner"):
            reports = nightly.node(concurrency=2).map(days, limit=3)
        report.node()(reports)  # type: ignore[arg-type]  # a checker sees that reports are texts
        nightly.node(name="extra")("sunday")

    made = nodes_of(week.graph)
    assert made["nightly"] == Node(
        name="nightly",
        graph="nightly",
        args={"limit": 3},
        map=Map(over={"$param": "days"}, into="day", concurrency=2),
        group="all/inner",
    )
    assert made["extra"].args == {"day": "sunday"}


def test_branches_setups_and_teardowns() -> None:
    @app.graph(name="kinds")
    def graph() -> None:
        cluster = extract.node(name="cluster", kind="setup")("x")
        choice = extract.node(name="choose", kind="branch", after=cluster)("y")
        left = load.node(after=choice)(1)
        extract.node(name="close", kind="teardown", setups=cluster, after=left)("z")

    assert graph.plan.nodes["close"].parents == ("load", "cluster", "choose")
    assert graph.plan.leaves == ["load"]


def test_an_object_that_looks_like_a_reference_is_kept() -> None:
    @app.graph(name="literal")
    def graph(x: str) -> None:
        ping({"$ref": "x"})
        ping({"a": [x, Path("/tmp")]})

    args = [node.args["host"] for node in graph.graph.nodes]
    assert args == [{"$literal": {"$ref": "x"}}, {"a": [{"$param": "x"}, "/tmp"]}]


def test_a_tracing_error_names_its_place() -> None:
    def missing() -> None:
        clean()  # type: ignore[call-arg]

    def unknown() -> None:
        clean.node(retires=3)([1])

    def twice() -> None:
        clean.node(name="a")([1])
        clean.node(name="a")([2])

    def not_mapped() -> None:
        clean.node(concurrency=3)([1])

    def no_json() -> None:
        ping(object())

    def too_late() -> None:
        clean.node(after=3)([1])

    for number, (function, error, says) in enumerate(
        (
            (missing, BadArguments, "missing a required argument: 'rows'"),
            (unknown, BadOption, "no option 'retires'. Did you mean 'retries'"),
            (twice, BadGraph, "'a' is there twice"),
            (not_mapped, BadOption, "concurrency= is for .map"),
            (no_json, BadGraph, "cannot stand in a graph"),
            (too_late, BadGraph, "3 is no node"),
        )
    ):
        with pytest.raises(error, match=says):
            _ = app.graph(name=f"wrong{number}")(function).graph


def test_options_of_a_graph_are_checked() -> None:
    with pytest.raises(BadOption, match=r"no option 'mod'. Did you mean 'mode'"):
        app.graph(name="x", mod="finish")(lambda: None)
    with pytest.raises(BadOption, match="mode='fast' is not one of"):
        app.graph(name="x", mode="fast")(lambda: None)
    with pytest.raises(BadOption, match="defined already"):
        app.graph(name="nightly")(_other)


def _other() -> None:
    return None


def test_a_result_that_does_not_fit_is_refused_by_the_plan() -> None:
    @app.graph(name="unfit")
    def graph() -> None:
        report(extract("a"), note=extract("b"))  # type: ignore[arg-type]

    with pytest.raises(BadGraph, match=r"note: the result of 'extract_2' is list\[int\], but note"):
        _ = graph.plan


def test_options_are_brought_to_one_form_or_refused() -> None:
    @app.graph(name="forms", timeout=timedelta(minutes=2))
    def graph() -> None:
        load.node(priority="high", timeout=timedelta(seconds=90), name="a")(1, "t")
        load.node(priority="critical_path", timeout=5, name="b")(1, "t")

    @app.graph(name="badforms")
    def bad() -> None:
        load.node(group=3)(1)

    made = nodes_of(graph.graph)
    assert graph.graph.timeout == "2m"
    assert (made["a"].priority, made["a"].timeout) == (10, "1m 30s")
    assert (made["b"].priority, made["b"].timeout) == ("critical_path", "5s")
    with pytest.raises(BadGraph, match=r"graph 'badforms': nodes.load.group: Expected `str"):
        _ = bad.graph


def test_arguments_that_are_known_are_checked_as_those_of_a_submit() -> None:
    @app.graph(name="literals")
    def graph() -> None:
        load("one")  # type: ignore[arg-type]

    with pytest.raises(BadGraph, match=r"node 'load': .*row: Expected `int`, got `str`"):
        _ = graph.plan


@pytest.mark.parametrize("isolation", ["process", "thread"])
def test_isolation_of_a_node_that_is_a_graph_is_refused(isolation: str) -> None:
    @app.graph(name=f"apart_{isolation}")
    def graph() -> None:
        nightly.node(isolation=isolation)("monday")

    with pytest.raises(BadGraph, match=r"node 'nightly': isolation: it is the graph 'nightly'"):
        _ = graph.plan


def test_a_job_defined_later_can_be_used_as_graphs_are_traced_late() -> None:
    late = App("sqlite:///never-opened.db")

    @late.graph
    def flow() -> None:
        later()

    @late.job
    def later() -> None:
        return None

    assert list(flow.plan.nodes) == ["later"]


def test_a_graph_has_a_deadline_like_any_job() -> None:
    @app.graph(deadline="07:00 Europe/Paris", schedule={"cron": "0 2 * * *", "deadline": "3h"})
    def dated() -> None:
        extract("today")

    assert dated.job.spec.deadline == "07:00 Europe/Paris"
    assert [each.deadline for each in dated.job.schedules] == ["3h"]
