"""`rota graphs`: graphs drawn and checked, from a file or an app; and runs of graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option

if TYPE_CHECKING:
    from rota.rules.graphs import GraphPlan

EPILOG = """\b
Examples:
  rota graphs                             those on record
  rota graphs show flow.yaml
  rota graphs show shop.py:nightly
  rota graphs show shop:nightly --format svg > nightly.svg
  rota graphs schema > graph.schema.json
  rota graphs nodes RUN                    where the nodes of a run stand
  rota graphs pause RUN; rota graphs resume RUN
  rota graphs mark RUN load skipped --note "no data today"
  rota graphs rerun RUN                    from what failed
  rota graphs rerun RUN --from load

A graph that makes no sense is refused, with the node and what to do.
"""
FORMATS = ("text", "mermaid", "dot", "svg")
SUFFIXES = (".yaml", ".yml", ".json")


COLUMNS = ("name", "version", "nodes", "running", "paused", "last", "next", "description")


@click.group("graphs", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List graphs; draw one of a file or an app; see runs of graphs, and step in."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the graphs on record by name, in their current version."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table, state_cell
    from rota.cli.times import since

    with place(flags) as here:
        views, now = here.definitions.graphs(), now_at(here)
    if as_json:
        print_json(views)
        return
    rows = [
        (
            each.name,
            str(each.version),
            f"{each.nodes:,}",
            str(each.running) if each.running else "",
            str(each.paused_runs) if each.paused_runs else "",
            state_cell(each.last[0].state) if each.last else "",
            since(each.next_fire_at, now),
            each.description.partition("\n")[0],
        )
        for each in views
    ]
    print_table(COLUMNS, rows, empty="no graphs on record", spare=("version", "next", "nodes"))


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
    from rota.rules.graphs.drawing import FORMATS as DRAWINGS
    from rota.rules.graphs.drawing import picture

    plan = _of_file(source, name) if source.endswith(SUFFIXES) else _of_app(source, name)
    close = None if is_open is None else not is_open
    click.echo(DRAWINGS[form](picture(plan, close=close)), nl=False)


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of a graph in a file."""
    import json

    from rota.rules.graphs.options import graph_schema

    click.echo(json.dumps(graph_schema(), indent=2))


@command.command("nodes")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@desk_options
def nodes(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """List the nodes of a run: their states, runs and reasons."""
    from rota.cli.connect.backends import place, run_at
    from rota.cli.output import print_json
    from rota.cli.pages.nodes import print_nodes

    with place(flags) as here:
        run = run_at(here, run_id)
        graph = run.graph()
    if as_json:
        print_json(graph.begun())
    else:
        print_nodes(graph.begun(), graph.progress)


@command.command("pause")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@note_option("why", default="")
@desk_options
def pause(*, run_id: str, why: str, as_json: bool, **flags: Any) -> None:
    """Let no other node of a run start; those that run may end."""
    from rota.cli.connect.backends import place, run_at

    with place(flags) as here:
        run = run_at(here, run_id)
        run.pause(why)
    _tell(f"run {run.id} is paused", {"id": run.id, "paused": True}, as_json=as_json)


@command.command("resume")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@note_option("why", default="")
@desk_options
def resume(*, run_id: str, why: str, as_json: bool, **flags: Any) -> None:
    """Go on with a run that was paused."""
    from rota.cli.connect.backends import place, run_at

    with place(flags) as here:
        run = run_at(here, run_id)
        run.resume(why)
    _tell(f"run {run.id} goes on", {"id": run.id, "paused": False}, as_json=as_json)


@command.command("mark")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@click.argument("node")
@click.argument("ending", type=click.Choice(("success", "failed", "skipped")))
@note_option("why", default="")
@desk_options
def mark(*, run_id: str, node: str, ending: str, why: str, as_json: bool, **flags: Any) -> None:
    """Say how a node ends that has not: what it does is stopped. Again: without waiting for it."""
    from rota.cli.connect.backends import place, run_at

    with place(flags) as here:
        run = run_at(here, run_id)
        run.mark(node, ending, why)
    facts = {"id": run.id, "node": node, "state": ending}
    _tell(f"node {node} ends as {ending}", facts, as_json=as_json)


@command.command("rerun")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@click.option("--from", "first", metavar="NODE", help="This node and all after it.")
@click.option("--only", metavar="NODE", help="This node alone.")
@click.option("--all", "whole", is_flag=True, help="All nodes.")
@note_option("why", default="")
@desk_options
def rerun(
    *,
    run_id: str,
    first: str | None,
    only: str | None,
    whole: bool,
    why: str,
    as_json: bool,
    **flags: Any,
) -> None:
    """Run an ended graph again, from what failed; what need not be redone is kept."""
    from rota.cli.connect.backends import place, run_at
    from rota.engine.graphs.control import Part
    from rota.errors import BadOption

    if sum(bool(each) for each in (first, only, whole)) > 1:
        raise BadOption("give one of --from, --only and --all")
    part: Part = "from" if first else "only" if only else "all" if whole else "failed"
    with place(flags) as here:
        run = run_at(here, run_id)
        fresh = run.rerun_nodes(part, first or only, why=why)
    _tell(fresh.id, {"id": fresh.id, "rerun_of": run.id}, as_json=as_json)


def _tell(text: str, facts: dict[str, Any], *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([facts])
    else:
        click.echo(text)


def _of_file(path: str, name: str | None) -> GraphPlan:
    from rota.handles.jobs.files import read_file
    from rota.rules.graphs import plan_graph
    from rota.rules.jobs.files.graphs import read_graphs

    graphs = read_graphs(read_file(path), path)
    chosen = _choose(path, name, list(graphs))
    return plan_graph(graphs[chosen], graphs=graphs)


def _of_app(source: str, name: str | None) -> GraphPlan:
    from rota.cli.loading import find_app

    place, _, after_colon = source.partition(":")
    app = find_app(place, folders=(Path.cwd(),))
    chosen = _choose(place, after_colon or name, list(app.graphs))
    return app.graphs[chosen].plan


def _choose(place: str, name: str | None, names: list[str]) -> str:
    from rota.errors import BadGraph
    from rota.rules.text.checks import hint

    if not names:
        raise BadGraph(f"{place} holds no graph")
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        raise BadGraph(f"{place} holds several graphs; name one of {', '.join(sorted(names))}")
    if name not in names:
        raise BadGraph(f"{place} holds no graph named {name!r:.64}.{hint(name, names)}")
    return name
