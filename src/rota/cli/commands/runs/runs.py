"""`rota runs`: list, show, cancel and rerun runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from rota.cli.commands.runs.changes import cancel, rerun
from rota.cli.commands.runs.filters import labels_of, search_of, search_options, shown_labels
from rota.cli.commands.runs.live import timeline, watch
from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options
from rota.model.states import State

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.runs.run import RunView

EPILOG = """\b
Examples:
  rota runs                               the newest first
  rota runs --state failed --job resize --limit 20
  rota runs --label team=billing --label 'amount>10' --since 2h
  rota runs --schedule nightly --scheduled-for 2026-11-18
  rota runs --view late                   a saved view (rota views)
  rota runs label ID team=ops urgent=true --remove customer
  rota runs show 3f0c9d2a71be             with attempts and traceback
  rota runs wait ID --timeout 1m
  rota runs watch ID                      its nodes, live
  rota runs timeline ID                   when they waited and ran
  rota runs cancel ID ID
  rota runs cancel --job resize --state queued --dry-run
  rota runs rerun ID width=200            with another width
  rota runs rerun --job resize --state failed --since 2h

An ID may be shortened to its last (or first) 6 characters or more. `rota runs list --help` shows
all filters.
"""
STATES = tuple(state.value for state in State)
COLUMNS = ("id", "job", "state", "attempt", "queue", "created", "took", "about")
SPARE = ("attempt", "queue", "took")
"""Columns that a narrow terminal may do without."""
EXPLAINED = (State.QUEUED, State.SCHEDULED)
UNDER_WAY = (State.RUNNING, State.SUSPENDED)
"""States of a run under way: a run of a graph is suspended while its nodes run."""
HELD = "held: the breaker of its job is open"


@click.group("runs", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List runs; show, watch, wait for, cancel or rerun one."""


for each in (watch, timeline, cancel, rerun):
    command.add_command(each)


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only runs in this state.")
@click.option(
    "--job", metavar="NAME", help="Only runs of this job.", shell_complete=names_of("jobs")
)
@click.option(
    "--queue", metavar="NAME", help="Only runs of this queue.", shell_complete=names_of("queues")
)
@search_options
@click.option("--view", metavar="NAME", help="A saved view; see `rota views`.")
@click.option("--show-labels", is_flag=True, help="With a column of labels.")
@click.option(
    "--before",
    metavar="ID",
    help="The page after the one that ended with this run.",
    shell_complete=names_of("runs"),
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def list_(*, before: str | None, show_labels: bool, as_json: bool, **flags: Any) -> None:
    """List runs, the newest first; a run of a graph is one run."""
    from rota.cli.connect.backends import now_at, place, run_at
    from rota.cli.output import print_json, print_table

    filters = {name: flags.pop(name) for name in ("state", "job", "queue", "limit", "view")}
    filters |= search_of(flags)
    if filters["view"] is None:  # a view says it itself
        filters.setdefault("steps", filters["job"] is not None)
    with place(flags) as here:
        start = run_at(here, before).id if before else None
        page = here.runs(**filters, before=start)
        now = now_at(here)
    if as_json:
        print_json(page)
    else:
        columns = (*COLUMNS, "labels") if show_labels else COLUMNS
        rows = [_row(each, now) for each in page]
        if show_labels:
            rows = [(*row, shown_labels(run.labels)) for row, run in zip(rows, page, strict=True)]
        print_table(columns, rows, empty="no runs", spare=SPARE)


@command.command("show")
@click.argument("run_id", metavar="ID", shell_complete=names_of("runs"))
@desk_options
def show(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """Show all that is known about a run, with its failed attempts; of a graph, its nodes."""
    from rota.cli.connect.backends import now_at, place, run_at
    from rota.cli.output import print_json
    from rota.cli.pages.nodes import print_nodes
    from rota.cli.pages.run import print_page, shown_run

    with place(flags) as here:
        run = run_at(here, run_id)
        view, attempts, graph = run.show(), run.attempts(), run.graph()
        reasons = run.why() if view.state in EXPLAINED else []
        now = now_at(here)
    nodes = graph.begun()
    is_held = any(each.kind == "held" for each in reasons)
    if as_json:
        view = structs.replace(view, held=is_held)
        more: dict[str, Any] = {"why": reasons}
        if nodes:
            more |= {"nodes": nodes, "graph_progress": graph.progress}
        print_json([shown_run(view, attempts, **more)])
        return
    print_page(view, attempts, now, reasons=reasons)
    if nodes:
        print()
        print_nodes(nodes, graph.progress)
    if is_held:
        print(f"\n{HELD}; see `rota breakers`")


@command.command("wait")
@click.argument("run_id", metavar="ID", shell_complete=names_of("runs"))
@click.option("--timeout", metavar="TIME", help="How long to wait, such as 30s; else for ever.")
@desk_options
def wait(*, run_id: str, timeout: str | None, as_json: bool, **flags: Any) -> None:
    """Wait for the end of a run and print its result."""
    from rota.cli.connect.backends import place, run_at
    from rota.cli.output import print_json
    from rota.cli.pages.results import print_result
    from rota.cli.waiting import check_ending, wait_for

    with place(flags) as here:
        run = run_at(here, run_id)
        ended = wait_for(run, timeout)
        if as_json:
            print_json([run.show()])
        check_ending(run, ended)
    if not as_json:
        print_result(ended.result)


@command.command("label")
@click.argument("run_id", metavar="ID")
@click.argument("labels", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--remove", multiple=True, metavar="NAME", help="Remove this label; repeatable.")
@desk_options
def label(
    *, run_id: str, labels: tuple[str, ...], remove: tuple[str, ...], as_json: bool, **flags: Any
) -> None:
    """Set labels of a run, whatever its state; those that are not named stay.

    `amount=12` is a number and `urgent=true` is true; anything else is text.
    """
    from rota.cli.connect.backends import place, run_at
    from rota.cli.output import print_json
    from rota.model.runs.labels import RunLabels

    if not labels and not remove:
        raise click.UsageError("say which labels: team=billing, or --remove team")
    changes = {**labels_of(labels, "label"), **dict.fromkeys(remove)}
    with place(flags) as here:
        run = run_at(here, run_id)
        now = run.label(changes)
    if as_json:
        print_json([RunLabels(run_id=run.id, labels=now)])
    else:
        print(f"{run.id}  {shown_labels(now) or 'no labels'}")


def _row(run: RunView, now: int) -> Row:
    from rota.cli.output import id_cell, state_cell
    from rota.cli.times import lasted, since, took

    time = lasted(run.started_at, run.finished_at)
    if run.started_at is not None and run.state in UNDER_WAY:
        time = took(run.started_at.ms, now)
    return (
        id_cell(run.id),
        run.job,
        state_cell(run.state, is_paused=run.paused),
        str(run.attempt),
        run.queue,
        since(run.created_at, now),
        time,
        HELD if run.held else _about(run, now),
    )


def _about(run: RunView, now: int) -> str:
    from rota.cli.times import since

    if run.cancel_requested:
        return "asked to stop" if run.state == "running" else "cancelling: teardowns run"
    if run.state == "scheduled":
        return f"starts {since(run.ready_at, now)}"
    if run.progress is not None and run.state == "running":
        return f"{run.progress:.0%} {run.progress_note or ''}".strip()
    if run.obstacle is not None:
        return run.obstacle.partition(";")[0]
    if run.error is not None and run.state != "success":
        return f"{run.error.type}: {run.error.message}".partition("\n")[0][:60]
    return run.reason or ""
