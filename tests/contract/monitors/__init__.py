"""Monitors and their pings, on both databases."""
