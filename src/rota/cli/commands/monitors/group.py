"""The group of `rota monitors`."""

from __future__ import annotations

import click

from rota.cli.options import NounGroup

EPILOG = """\b
Examples:
  rota monitors                                       which foreign jobs are up, late or down
  rota monitors set backup --every 1d --grace 2h      expect a ping a day
  rota monitors set report --cron "0 6 * * mon-fri" --zone Europe/Paris --grace 30m
  rota monitors url backup                            what to put into the crontab
  rota monitors pings backup
  rota alerts rules set cron --on monitor.down --to ops

The addresses are those of healthchecks.io: /start, /fail, /log and /EXIT-STATUS may follow.
"""


@click.group("monitors", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """Watch cron jobs of other machines: they ping, and a missing ping is an alert."""
