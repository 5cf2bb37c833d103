"""Async handlers on an event loop."""
