"""`rota workers`: who works, with which capacity, since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import desk_options

if TYPE_CHECKING:
    from rota.cli.output import Cell, Row
    from rota.engine.workers import WorkerView

EPILOG = """\b
Examples:
  rota workers
  rota workers --json | jq 'select(.is_alive | not)'

A worker that stops in order leaves the list; one whose lease ran out is shown as dead until its
runs have been given back.
"""
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


@click.command("workers", epilog=EPILOG)
@desk_options
def command(*, as_json: bool, **flags: Any) -> None:
    """List the workers on record."""
    from rota.cli.desks import desk
    from rota.cli.documents import document
    from rota.cli.output import print_json, print_table

    with desk(flags) as here:
        found = here.workers()
    if as_json:
        documents = [document(worker) for worker in found]
        for each in documents:
            del each["now"]
        print_json(documents)
    else:
        print_table(COLUMNS, [_row(worker) for worker in found], empty="no workers")


def _row(worker: WorkerView) -> Row:
    from rota.cli.times import ago

    return (
        worker.name,
        worker.host,
        str(worker.pid),
        _state(worker),
        str(worker.running),
        str(worker.slots),
        ", ".join(worker.queues),
        ago(worker.started_at, worker.now),
        ago(worker.seen_at, worker.now),
        worker.version,
    )


def _state(worker: WorkerView) -> Cell:
    from rota.cli.output import Cell

    if not worker.is_alive:
        return Cell("dead", "bold red")
    return Cell("draining", "yellow") if worker.is_draining else Cell("alive", "green")
