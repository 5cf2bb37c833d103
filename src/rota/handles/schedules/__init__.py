"""Handles of schedules, their backfills, calendars and maintenance windows."""
