"""Runs: from their submit to their end."""
