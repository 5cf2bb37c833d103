"""Pings of foreign jobs."""
