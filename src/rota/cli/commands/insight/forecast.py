"""`rota forecast`: the runs that schedules will start, hour by hour."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.options import desk_options

EPILOG = """\b
Examples:
  rota forecast                           the next 24 hours
  rota forecast --hours 168
"""
COLUMNS = ("hour", "runs", "busy", "unknown")


@click.command("forecast", epilog=EPILOG)
@click.option("--hours", type=click.IntRange(1, 168), default=24, show_default=True)
@desk_options
def command(*, hours: int, as_json: bool, **flags: Any) -> None:
    """Show the runs that schedules will start, hour by hour, and how long they will take.

    A run is taken to last as long as those of its job did on average in the last week; `unknown`
    counts runs of jobs without such a past.
    """
    import sys

    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table
    from rota.cli.times import coarse

    with place(flags) as here:
        found = here.forecast(hours=hours)
    if as_json:
        print_json([found])
        return
    rows = [
        (
            each.at.text(),
            f"{each.runs:,}",
            coarse(each.busy_ms) if each.busy_ms else "",
            f"{each.unknown:,}" if each.unknown else "",
        )
        for each in found.buckets
    ]
    print_table(COLUMNS, rows, empty="no schedule starts anything")
    if found.is_cut:
        print("there is more than could be counted", file=sys.stderr)
