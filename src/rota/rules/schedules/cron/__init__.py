"""Cron lines: read in three dialects, and asked when they fire next in a zone."""

from rota.rules.schedules.cron.parse import parse_cron
from rota.rules.schedules.cron.timetable import compile_cron

__all__ = ["compile_cron", "parse_cron"]
