"""Nodes of a graph run: their rows, arguments, results and endings."""
