"""Graphs: plans, nodes of their runs, timelines."""
