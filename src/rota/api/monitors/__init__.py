"""Pings that reach a server, recorded in batches."""
