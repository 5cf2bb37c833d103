"""Handles for jobs on record, job files and releases."""
