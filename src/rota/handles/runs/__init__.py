"""Handles of runs: one run, the run of a graph, many at once, searches and saved views."""
