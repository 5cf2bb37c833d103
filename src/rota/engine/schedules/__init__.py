"""Schedules: stored, fired, read ahead and looked back on."""
