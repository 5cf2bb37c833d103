"""`rota runs watch` and `rota runs timeline`: a run while it goes on, and afterwards."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options

WATCH_EPILOG = """\b
Examples:
  rota runs watch 3f0c9d2a71be
  rota runs watch ID --timeout 10m || echo "it did not succeed in time"
  rota runs watch ID --json | jq -c 'select(.state == "failed")'

On a terminal it draws the nodes as a tree: groups, maps with their counts, sub-graphs that go on.
Elsewhere it prints a line for each change, with --json an object for each. It ends with the run:
with 0 if that succeeded, 7 if not, 6 if time was up first. Ctrl-C stops watching, not the run.
"""
TIMELINE_EPILOG = """\b
Examples:
  rota runs timeline 3f0c9d2a71be
  rota runs timeline ID --json

A bar for each node on one scale: waiting in a queue, running, and attempts that failed. Instances
of a map are one bar, from the first to the last.
"""


@click.command("watch", epilog=WATCH_EPILOG)
@click.argument("run_id", metavar="ID", shell_complete=names_of("runs"))
@click.option("--timeout", metavar="TIME", help="How long to watch, such as 10m; else to its end.")
@desk_options
def watch(*, run_id: str, timeout: str | None, as_json: bool, **flags: Any) -> None:
    """Watch a run until it ends: its nodes as a tree, with a bar and about how long it takes."""
    from rota.cli.connect.backends import place, run_at
    from rota.cli.pages.watch import screen
    from rota.cli.waiting import check_ending
    from rota.cli.watching import watch as watch_run

    with place(flags) as here:
        run = run_at(here, run_id)
        with screen(as_json=as_json) as shown:
            watch_run(here, run, shown, timeout)
        check_ending(run, run.wait(0))


@click.command("timeline", epilog=TIMELINE_EPILOG)
@click.argument("run_id", metavar="ID", shell_complete=names_of("runs"))
@desk_options
def timeline(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """Show when the nodes of a run waited and ran, as bars."""
    from rota.cli.connect.backends import place, run_at
    from rota.cli.output import print_json
    from rota.cli.pages.timeline import print_timeline

    with place(flags) as here:
        run = run_at(here, run_id)
        line, view, graph = run.timeline(), run.show(), run.graph()
    if as_json:
        print_json([line])
    else:
        print_timeline(line, view, is_paused=graph.paused)
