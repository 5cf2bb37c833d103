"""The group of `rota alerts`."""

from __future__ import annotations

import click

from rota.cli.options import NounGroup

EPILOG = """\b
Examples:
  rota alerts                                         what is wrong now
  rota alerts --all                                   and what was
  rota alerts channels set ops https://hooks.slack.com/services/...
  rota alerts channels set mail 'smtp://rota:${MAIL_PASSWORD}@mx:587/?from=rota@x.org&to=ops@x.org'
  rota alerts channels test ops
  rota alerts rules set nightly --on run.failed --on schedule.paused --job "etl.*" --to ops
  rota alerts rules set all --on run.failed --to ops --quiet 22:00-07:00 --zone Europe/Paris

A process that serves or works looks every two seconds. A rule tells of an incident when it opens,
again while it goes on, and when it is over; many at once are one message.
"""


@click.group("alerts", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """Show what is wrong; decide who is told, and how."""
