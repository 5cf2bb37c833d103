"""`rota graphs`: drawn from files and apps, and what it says when that cannot be."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rota.cli.main import main

FLOW = "nodes: {extract: , load: {after: extract}}\n"
APP = """
from rota import App
app = App()

@app.job
def extract(day: str) -> list[int]:
    return [1]

@app.job
def load(rows: list[int]) -> int:
    return len(rows)

@app.graph
def nightly(day: str):
    load(extract(day))

@app.graph
def broken(day: str):
    extract(load(extract(day)))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all: a module is imported once in a process."""
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "flow.yaml").write_text(FLOW)
    (folder / "graph_shop.py").write_text(APP)
    return folder


@pytest.fixture(autouse=True)
def folder(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_a_file_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "show", "flow.yaml"]) == 0
    assert capsys.readouterr().out == "flow()\n  1  └─ extract\n  2     └─ load\n"


@pytest.mark.parametrize("source", [["graph_shop.py:nightly"], ["graph_shop", "nightly"]])
def test_a_graph_of_an_app_is_drawn(source: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "show", *source, "--format", "mermaid"]) == 0
    assert 'title: "nightly(day: str)"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["graph_shop.py"], "holds several graphs; name one of broken, nightly"),
        (["graph_shop.py:nighly"], "no graph named 'nighly'. Did you mean 'nightly'?"),
        (
            ["graph_shop.py:broken"],
            "node 'extract_2': day: the result of 'load' is int, but day is",
        ),
        (["missing.yaml"], "cannot read missing.yaml"),
    ],
)
def test_graph_show_refuses_bad_arguments_with_a_reason(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", "show", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "A graph of Rota"
