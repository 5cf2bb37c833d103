"""Cron lines: parse three dialects and compute firings in a zone."""

from rota.rules.schedules.cron.parse import parse_cron
from rota.rules.schedules.cron.timetable import compile_cron

__all__ = ["compile_cron", "parse_cron"]
