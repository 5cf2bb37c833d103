"""Logs: lines of runs."""
