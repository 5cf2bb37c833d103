"""Graphs and their runs as people see them."""
