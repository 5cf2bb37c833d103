"""`rota worker`: more capacity, on this machine or on others."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.options import settings, worker_options

EPILOG = """\b
Examples:
  rota worker shop:app --url postgresql://rota@db/rota
  rota worker shop:app --queues mail,images --slots 16
  rota worker shop:app --processes 4 --name blue

Slots are threads (or positions on an event loop) of one process; use --processes to use more
cores. TERM drains, a second TERM gives back what still runs without costing it an attempt.
"""


@click.command("worker", epilog=EPILOG)
@click.argument("app", required=False)
@worker_options
@click.option("--processes", metavar="N", help="How many worker processes; 1 if not said.")
def command(**flags: Any) -> int:
    """Run jobs of APP for a store that others share."""
    from rota.cli.served import refuse_server
    from rota.cli.serving import serve

    said = settings(flags)
    refuse_server(said)
    return serve(said, title="worker")
