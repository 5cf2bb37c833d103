"""Runs: their state on record, the views that people see, and why they wait."""
