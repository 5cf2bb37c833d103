"""`rota workers`: the workers, their capacity and their age; drain and resume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options

if TYPE_CHECKING:
    from rota.cli.output import Cell, Row
    from rota.model.workers.worker import WorkerView

EPILOG = """\b
Examples:
  rota workers
  rota workers --json | jq 'select(.alive | not)'
  rota workers drain web-3                it takes nothing new; what it runs goes on
  rota workers resume web-3

Workers are named by their name (all that have it), their id, or the end of it.

A worker that stops in order leaves the list; one whose lease ran out is shown as dead until its
runs have been given back. `left behind` counts handlers that did not stop when they were asked to:
their runs have ended, their threads have not.
"""
SHORTEST = 6
"""The fewest characters of a short id."""
COLUMNS = (
    "name",
    "host",
    "pid",
    "state",
    "running",
    "slots",
    "queues",
    "started",
    "seen",
    "version",
)


@click.group("workers", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List workers; let some take nothing new, or work again."""


@command.command("drain")
@click.argument(
    "names", metavar="NAME...", nargs=-1, required=True, shell_complete=names_of("workers")
)
@desk_options
def drain(*, names: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Let workers take nothing new, from their next heartbeat on; what they run goes on."""
    _ask(names, flags, drains=True, as_json=as_json)


@command.command("resume")
@click.argument(
    "names", metavar="NAME...", nargs=-1, required=True, shell_complete=names_of("workers")
)
@desk_options
def resume(*, names: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Let workers that were drained work again."""
    _ask(names, flags, drains=False, as_json=as_json)


def _ask(names: tuple[str, ...], flags: dict[str, Any], *, drains: bool, as_json: bool) -> None:
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        workers_here = here.workers()
        workers = {each.id: each for name in names for each in _matching(name, workers_here)}
        for worker in workers.values():
            (here.drain_worker if drains else here.resume_worker)(worker.id)
            if as_json:
                print_json([{"id": worker.id, "name": worker.name, "draining": drains}])
            else:
                print(f"{worker.name}  {'asked to drain' if drains else 'works again'}")


def _matching(name: str, workers: list[WorkerView]) -> list[WorkerView]:
    from rota.errors import UnknownWorker

    matches = [each for each in workers if name in (each.name, each.id)]
    matches = matches or [
        each for each in workers if len(name) >= SHORTEST and each.id.endswith(name)
    ]
    if not matches:
        raise UnknownWorker(name)
    return matches


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the workers on record."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views = here.workers()
        now = now_at(here)
    if as_json:
        print_json(views)
    else:
        print_table(COLUMNS, [_row(worker, now) for worker in views], empty="no workers")


def _row(worker: WorkerView, now: int) -> Row:
    from rota.cli.times import since

    return (
        worker.name,
        worker.host,
        str(worker.pid),
        _state(worker),
        str(worker.running),
        str(worker.slots),
        ", ".join(worker.queues),
        since(worker.started_at, now),
        since(worker.seen_at, now),
        worker.version,
    )


def _state(worker: WorkerView) -> Cell:
    from rota.cli.output import Cell

    if not worker.is_alive:
        return Cell("dead", "bold red")
    note = f", {worker.left_behind} left behind" if worker.left_behind else ""
    if not worker.is_draining:
        return Cell(f"alive{note}", "yellow" if note else "green")
    return Cell(f"draining{note}", "yellow")
