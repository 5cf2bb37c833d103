"""Nodes of a graph's run: their rows, arguments, results and ends."""
