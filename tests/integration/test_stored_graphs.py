"""Graphs of job files: applied, submitted, and carried out by workers that have no code."""

from __future__ import annotations

from pathlib import Path

import pytest

from rota import App, State
from rota.errors import BadArguments
from tests.integration.conftest import Serve
from tests.integration.test_stored_jobs import bring, submit

FLOW = """
jobs:
  say: {command: "echo hello {name}"}
graphs:
  greeting:
    parameters: {names: "list[str]", end: {type: str, default: bye}}
    result: {$expr: "nodes.last.result.stdout + string(size(nodes.each.result))"}
    nodes:
      first: {command: echo begin}
      each: {job: say, after: first, map: {over: {$param: names}, into: name}}
      last: {command: "echo {word}", after: each, args: {word: {$param: end}}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "flow.yaml"


def test_a_graph_of_a_file_is_carried_out(app: App, serve: Serve, path: Path) -> None:
    serve(stored=True)
    bring(app, path, FLOW)

    run = submit(app, "greeting", names=["ann", "bob"])

    assert run.result(timeout=30) == "bye\n2"
    assert [(node.name, node.state) for node in run.nodes()] == [
        ("first", "success"),
        ("each", "success"),
        ("last", "success"),
    ]


def test_a_run_stays_with_the_version_it_was_made_for(app: App, serve: Serve, path: Path) -> None:
    bring(app, path, FLOW)
    old = submit(app, "greeting", names=["ann"])
    bring(app, path, FLOW.replace("default: bye", "default: ciao"))
    new = submit(app, "greeting", names=["ann"])
    serve(stored=True)

    assert old.result(timeout=30) == "bye\n1"
    assert new.result(timeout=30) == "ciao\n1"
    assert (old.show().version, new.show().version) == (1, 2)


def test_a_failed_command_fails_the_run(app: App, serve: Serve, path: Path) -> None:
    serve(stored=True)
    bring(app, path, "nodes: {a: {command: 'false', retries: 0}, b: {command: echo b, after: a}}")

    run = submit(app, "flow")

    assert run.wait(timeout=30).state is State.FAILED
    assert {node.name: node.state for node in run.nodes()} == {
        "a": "failed",
        "b": "upstream_failed",
    }


def test_a_graph_run_without_a_required_parameter_is_refused(app: App, path: Path) -> None:
    bring(app, path, FLOW)

    with pytest.raises(BadArguments, match="names"):
        submit(app, "greeting", end="x")


def test_a_graph_in_python_has_a_schedule(app: App, serve: Serve) -> None:
    @app.job
    def add(a: int) -> int:
        return a + 1

    @app.graph(schedule="0 3 * * *", queue="graphs", overlap="allow")
    def nightly(a: int = 1) -> int:
        return add(add(a))

    serve()
    assert app.schedules.show("nightly").job == "nightly"
    run = app.schedules.trigger("nightly")
    assert run is not None
    assert run.result(timeout=30) == 3
    assert run.show().queue == "graphs"
