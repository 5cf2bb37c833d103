"""Monitors on record, and their pings."""
