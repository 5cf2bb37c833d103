"""`rota why`: the reasons that keep a run from running."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options

EPILOG = """\b
Examples:
  rota why 3f0c9d2a71be
  rota why ID load                        node load of a run of a graph
  rota why ID --json | jq -r .kind

The most telling reason comes first: a paused queue, no worker that knows the job, a retry that is
not due yet, runs ahead of it in the queue...
"""


@click.command("why", epilog=EPILOG)
@click.argument("run_id", metavar="ID", shell_complete=names_of("runs"))
@click.argument("node", required=False)
@desk_options
def command(*, run_id: str, node: str | None, as_json: bool, **flags: Any) -> None:
    """Say why a run, or a NODE of one, is not running, with numbers."""
    from rota.cli.connect.backends import place, run_at
    from rota.cli.output import print_json

    with place(flags) as here:
        reasons = run_at(here, run_id).why(node)
    if as_json:
        print_json(reasons)
    else:
        for reason in reasons:
            print(reason.says)
