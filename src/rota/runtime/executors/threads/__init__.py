"""Sync handlers in threads."""
