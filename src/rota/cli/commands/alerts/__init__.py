"""`rota alerts`: what alert rules have found, the rules, and the channels to people."""

from rota.cli.commands.alerts import channels, look, rules
from rota.cli.commands.alerts.group import command

__all__ = ["channels", "command", "look", "rules"]
