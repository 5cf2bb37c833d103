"""`rota up`: everything with one command."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.options import server_options, settings_of, worker_options

EPILOG = """\b
Examples:
  rota up shop.py                     the store is ./rota.db
  rota up shop:app --slots 32
  rota up                             the app comes from ROTA_APP or rota.toml
  rota up shop.py --no-server         jobs only; nothing listens
  rota up shop.py --reload            new code is used as soon as it is saved

Ctrl-C (or TERM) lets running handlers end; a second one gives their runs back at once, without
costing them an attempt. A worker process that is killed is started again.
"""


@click.command("up", epilog=EPILOG)
@click.argument("app", required=False)
@worker_options
@server_options
@click.option(
    "--server/--no-server",
    "serve",
    default=None,
    help="Serve the REST API as well; on if not said.",
)
@click.option(
    "--reload",
    "reloads",
    is_flag=True,
    help="Start the worker again with new code when Python files change; for development.",
)
def command(*, reloads: bool, **flags: Any) -> int:
    """Serve the jobs of APP: a file (shop.py) or a module (shop:app).

    Opens or creates the store, brings its schema up to date, runs jobs, does the background
    chores and serves the REST API until it is told to stop.
    """
    from rota.cli.serve.serving import serve

    settings = settings_of(flags)
    if reloads and settings.app is None:
        raise click.UsageError("--reload watches the code of an app: name its file or module")
    return serve(settings, title="up", reloads=reloads)
