"""Runs of graphs as people look at them."""
