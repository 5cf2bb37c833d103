"""Graphs: how their runs go on and end."""
