"""Runs of graphs: how the end of one node leads to the next."""
