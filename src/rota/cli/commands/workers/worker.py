"""`rota worker`: more capacity, on this machine or on others."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.options import settings_of, worker_options

EPILOG = """\b
Examples:
  rota worker shop:app --url postgresql://rota@db/rota
  rota worker shop:app --queues mail,images --slots 16
  rota worker shop:app --processes 4 --name blue
  rota worker shop:app --server https://rota.example.org --token-file worker.token

Slots are threads (or positions on an event loop) of one process; use --processes to use more
cores. TERM drains, a second TERM gives back what still runs without costing it an attempt.

With a server instead of a database the token is one of `rota tokens create NAME --role worker
--queue images`: it can carry out runs of its queues and nothing else. The jobs must have been
defined by others; transactions of handlers need a worker with a database.
"""


@click.command("worker", epilog=EPILOG)
@click.argument("app", required=False)
@worker_options
@click.option("--server", metavar="URL", help="Work for this server, without a database.")
@click.option("--token-file", metavar="FILE", help="Its token, of the role worker; or ROTA_TOKEN.")
@click.option("--profile", metavar="NAME", help="Settings of [profiles.NAME] in rota.toml.")
@click.option("--processes", metavar="N", help="How many worker processes; 1 if not said.")
def command(**flags: Any) -> int:
    """Run jobs of APP for a store that others share."""
    from rota.cli.serve.serving import serve

    # The app brings the code of the jobs; unlike elsewhere, it does not choose the database.
    code = flags.pop("app")
    settings = settings_of(flags)
    if code is not None:
        settings = settings.replace(app=code)
    return serve(settings, title="worker")
