"""Views of graph runs for people."""
