"""Attempts of a run, and what their handlers may read and request."""
