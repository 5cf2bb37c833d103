"""Schedules: rules, firings, backfills, calendars and maintenance windows."""
