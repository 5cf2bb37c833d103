"""Reads that explain the state of a store: why, overview, statistics, search, doctor."""
