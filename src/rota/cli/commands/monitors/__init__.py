"""`rota monitors`: foreign cron jobs that tell Rota of themselves by a ping."""

from rota.cli.commands.monitors import act, look
from rota.cli.commands.monitors.group import command

__all__ = ["act", "command", "look"]
