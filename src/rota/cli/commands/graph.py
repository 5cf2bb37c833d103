"""`rota graph`: graphs drawn and checked, from a file or an app; no store is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rota.rules.graphs import Plan

EPILOG = """\b
Examples:
  rota graph show flow.yaml
  rota graph show shop.py:nightly
  rota graph show shop:nightly --format svg > nightly.svg
  rota graph schema > graph.schema.json

A graph that makes no sense is refused, with the node and what to do.
"""
FORMATS = ("text", "mermaid", "dot", "svg")
SUFFIXES = (".yaml", ".yml", ".json")


@click.group("graph", epilog=EPILOG)
def command() -> None:
    """Draw a graph of a file or an app; print the schema of graphs in files."""


@command.command("show")
@click.argument("source", metavar="FILE|APP:GRAPH")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="What to print.")
@click.option(
    "--groups/--no-groups",
    "is_open",
    default=None,
    help="Open all groups or draw each as one box; else the number of nodes decides.",
)
def show(*, source: str, name: str | None, form: str, is_open: bool | None) -> None:
    """Draw a graph: nodes, what they wait for, what is special about them.

    NAME chooses one of several graphs.
    """
    from rota.rules.drawing import FORMATS as DRAWINGS
    from rota.rules.drawing import picture

    plan = _of_file(source, name) if source.endswith(SUFFIXES) else _of_app(source, name)
    close = None if is_open is None else not is_open
    click.echo(DRAWINGS[form](picture(plan, close=close)), nl=False)


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of a graph in a file."""
    import json

    from rota.rules.graph_options import graph_schema

    click.echo(json.dumps(graph_schema(), indent=2))


def _of_file(path: str, name: str | None) -> Plan:
    from rota.app.files import read_file
    from rota.rules.graphs import plan_graph
    from rota.rules.jobfile.graphs import read_graphs

    graphs = read_graphs(read_file(path), path)
    chosen = _choose(path, name, list(graphs))
    return plan_graph(graphs[chosen], graphs=graphs)


def _of_app(source: str, name: str | None) -> Plan:
    from rota.cli.loading import find_app

    place, _, after_colon = source.partition(":")
    app = find_app(place, folders=(Path.cwd(),))
    chosen = _choose(place, after_colon or name, list(app.graphs))
    return app.graphs[chosen].plan


def _choose(place: str, name: str | None, known: list[str]) -> str:
    from rota.errors import BadGraph
    from rota.rules.checks import hint

    if not known:
        raise BadGraph(f"{place} holds no graph")
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise BadGraph(f"{place} holds several graphs; name one of {', '.join(sorted(known))}")
    if name not in known:
        raise BadGraph(f"{place} holds no graph named {name!r:.64}.{hint(name, known)}")
    return name
