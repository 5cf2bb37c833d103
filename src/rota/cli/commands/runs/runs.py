"""`rota runs`: see what happened, and step in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.runs.live import timeline, watch
from rota.cli.options import NounGroup, desk_options
from rota.model.states import State

if TYPE_CHECKING:
    from rota.cli.connect.run_answers import Listed
    from rota.cli.output import Row
    from rota.model.run import RunView

EPILOG = """\b
Examples:
  rota runs                               the newest first
  rota runs --state failed --job resize --limit 20
  rota runs show 3f0c9d2a71be             with attempts and traceback
  rota runs wait ID --timeout 1m
  rota runs watch ID                      its nodes, live
  rota runs timeline ID                   when they waited and ran
  rota runs cancel ID ID
  rota runs rerun ID

An ID may be shortened to its last (or first) 8 characters or more. `rota runs list --help` shows
all filters.
"""
STATES = tuple(state.value for state in State)
COLUMNS = ("id", "job", "state", "attempt", "queue", "created", "took", "about")
UNDER_WAY = (State.RUNNING, State.SUSPENDED)
"""A run of a graph is suspended while its nodes run."""
HELD = "held: the breaker of its job is open"
SHORT_ID = 12
"""The last group of a UUIDv7 is random, so it tells runs apart; the first tells the hour."""


@click.group("runs", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List runs; show, watch, wait for, cancel or rerun one."""


command.add_command(watch)
command.add_command(timeline)


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only runs in this state.")
@click.option("--job", metavar="NAME", help="Only runs of this job.")
@click.option("--queue", metavar="NAME", help="Only runs of this queue.")
@click.option("--before", metavar="ID", help="The page after the one that ended with this run.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def list_(*, state: str | None, job: str | None, queue: str | None, **flags: Any) -> None:
    """List runs, the newest first."""
    from rota.cli.connect.run_answers import Filters
    from rota.cli.connect.run_backends import desk
    from rota.cli.output import print_json, print_table
    from rota.cli.pages.documents import run_document

    with desk(flags) as here:
        found = here.runs(Filters(state, job, queue, flags["before"], flags["limit"]))
        now = here.now()
    if flags["as_json"]:
        print_json(run_document(each.run) | {"held": each.is_held} for each in found)
    else:
        print_table(COLUMNS, [_row(each, now) for each in found], empty="no runs")


@command.command("show")
@click.argument("run_id", metavar="ID")
@desk_options
def show(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """Show all that is known about a run, with its failed attempts; of a graph, its nodes."""
    from rota.cli.connect.run_backends import desk
    from rota.cli.output import print_json
    from rota.cli.pages.documents import run_document
    from rota.cli.pages.nodes import print_nodes

    with desk(flags) as here:
        shown, now = here.show(run_id), here.now()
    run, nodes = shown.run, shown.graph.begun()
    if as_json:
        document = run_document(run, shown.attempts, tally=shown.tally, reasons=shown.reasons)
        if nodes:
            document |= {"nodes": nodes, "graph_progress": shown.graph.progress}
        told = {"held": shown.is_held, "on_failure_run": shown.on_failure_run}
        print_json([document | told])
        return
    from rota.cli.pages.run import print_page

    print_page(
        run,
        shown.attempts,
        now,
        tally=shown.tally,
        reasons=shown.reasons,
        on_failure_run=shown.on_failure_run,
        is_paused=shown.is_paused,
    )
    if nodes:
        print()
        print_nodes(nodes, shown.graph.progress)
    if shown.is_held:
        print(f"\n{HELD}; see `rota breakers`")


@command.command("wait")
@click.argument("run_id", metavar="ID")
@click.option("--timeout", metavar="TIME", help="How long to wait, such as 30s; else for ever.")
@desk_options
def wait(*, run_id: str, timeout: str | None, as_json: bool, **flags: Any) -> None:
    """Wait for the end of a run and print its result."""
    from rota.cli.connect.run_backends import desk
    from rota.cli.output import print_json
    from rota.cli.pages.documents import run_document
    from rota.cli.pages.results import print_result
    from rota.cli.waiting import check_ending, wait_for

    with desk(flags) as here:
        run = here.run(run_id)
        ended = wait_for(run, timeout)
        if as_json:
            print_json([run_document(run.show())])
        check_ending(run, ended)
    if not as_json:
        print_result(ended.result)


@command.command("cancel")
@click.argument("run_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="cancelled on the command line", help="Kept with the run.")
@click.option("--force", is_flag=True, help="End runs of graphs without their teardowns.")
@desk_options
def cancel(
    *, run_ids: tuple[str, ...], reason: str, force: bool, as_json: bool, **flags: Any
) -> int:
    """End waiting runs now, ask running ones to stop.

    A run of a graph clears away first what its setups have made: it ends when its teardowns have.

    A run that has ended otherwise cannot be cancelled: the others still are, and the exit
    code is 3.
    """
    from rota.cli.connect.run_backends import desk
    from rota.cli.main import complain
    from rota.errors import NotAllowed

    code = 0
    with desk(flags) as here:
        for run in [here.run(run_id) for run_id in run_ids]:
            try:
                _print_state(run.id, run.cancel(reason, force=force), as_json=as_json)
            except NotAllowed as error:
                code = complain(error)
    return code


@command.command("rerun")
@click.argument("run_id", metavar="ID")
@desk_options
def rerun(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """Submit an ended run again with the same arguments; prints the new run's id."""
    from rota.cli.connect.run_backends import desk
    from rota.cli.output import print_json

    with desk(flags) as here:
        old = here.run(run_id)
        fresh = old.rerun()
    if as_json:
        print_json([{"id": fresh.id, "rerun_of": old.id}])
    else:
        print(fresh.id)


_CANCELLED = {
    "running": "asked to stop",
    "suspended": "cancelling: teardowns run first (rota why); --force ends it now",
}


def _print_state(run_id: str, state: str, *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([{"id": run_id, "state": state}])
    else:
        print(f"{run_id}  {_CANCELLED.get(state, state)}")


def _row(listed: Listed, now: int) -> Row:
    from rota.cli.output import Cell, is_fancy, state_cell
    from rota.cli.times import ago, took

    run = listed.run
    run_id = run.id[-SHORT_ID:] if is_fancy() else run.id
    return (
        Cell(run_id, "bold"),
        run.job,
        state_cell(run.state, is_paused=listed.is_paused),
        str(run.attempt),
        run.queue,
        ago(run.created_at, now),
        took(run.started_at, run.finished_at or (now if run.state in UNDER_WAY else None)),
        HELD if listed.is_held else _about(run, now, listed.obstacle),
    )


def _about(run: RunView, now: int, obstacle: str | None) -> str:
    from rota.cli.times import ago

    if run.cancel_requested:
        return "asked to stop" if run.state == "running" else "cancelling: teardowns run"
    if run.state == "scheduled":
        return f"starts {ago(run.ready_at, now)}"
    if run.progress is not None and run.state == "running":
        return f"{run.progress:.0%} {run.progress_note or ''}".strip()
    if obstacle is not None:
        return obstacle.partition(";")[0]
    if run.error is not None and run.state != "success":
        return f"{run.error.type}: {run.error.message}".partition("\n")[0][:60]
    return run.reason or ""
