"""`rota schedules`: list schedules; preview, pause, start by hand, backfill."""

from rota.cli.commands.schedules import act, fill, look
from rota.cli.commands.schedules.group import command

__all__ = ["act", "command", "fill", "look"]
