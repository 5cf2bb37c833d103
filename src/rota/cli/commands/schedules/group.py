"""The group of `rota schedules`, and helpers for its commands."""

from __future__ import annotations

import click

from rota.cli.options import NounGroup

EPILOG = """\b
Examples:
  rota schedules                                      what fires next, and how it went last
  rota schedules show report                          with its next firings
  rota schedules preview "0 6 * * mon-fri" --zone Europe/Paris --count 20
  rota schedules preview "30 2 * * *" --zone America/New_York --from 2026-03-07
  rota schedules upcoming                             of all schedules, in order
  rota schedules pause report --note "the warehouse moves"
  rota schedules trigger report day=2026-11-14
  rota schedules backfill report --from 2026-11-01 --until 2026-11-08 --dry-run
"""


@click.group("schedules", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """Show what fires when; preview, pause, start by hand, backfill."""


def print_change(name: str, state: str, *, as_json: bool) -> None:
    """Print the new state of a schedule."""
    from rota.cli.output import print_json

    if as_json:
        print_json([{"name": name, "state": state}])
    else:
        print(f"{name} is {state}")
