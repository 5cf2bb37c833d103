"""Queues: what waits, and what holds it back."""
