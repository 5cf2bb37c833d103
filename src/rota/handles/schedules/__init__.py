"""Handles for schedules, backfills, calendars and maintenance windows."""
