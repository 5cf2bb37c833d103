"""Cron lines: read in three dialects, and asked when they fire next in a zone."""

from rota.rules.cron.parse import parse_cron
from rota.rules.cron.timetable import compile_cron

__all__ = ["compile_cron", "parse_cron"]
