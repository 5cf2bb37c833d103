"""`rota up`: everything with one command."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.options import settings, worker_options

EPILOG = """\b
Examples:
  rota up shop.py                     the store is ./rota.db
  rota up shop:app --slots 32
  rota up                             the app comes from ROTA_APP or rota.toml

Ctrl-C (or TERM) lets running handlers end; a second one gives their runs back at once, without
costing them an attempt. A worker process that is killed is started again.
"""


@click.command("up", epilog=EPILOG)
@click.argument("app", required=False)
@worker_options
def command(**flags: Any) -> int:
    """Serve the jobs of APP: a file (shop.py) or a module (shop:app).

    Opens or creates the store, brings its schema up to date, runs jobs and does the background
    chores until it is told to stop.
    """
    from rota.cli.serving import serve

    return serve(settings(flags), title="up")
