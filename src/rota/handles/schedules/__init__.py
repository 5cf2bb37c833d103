"""Schedules, backfills, calendars and maintenance windows in the hands of a program."""
