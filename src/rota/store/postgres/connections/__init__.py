"""Connections to PostgreSQL: made, pooled, timed out, counted."""
