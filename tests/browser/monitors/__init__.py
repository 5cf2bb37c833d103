"""Monitors of foreign jobs in the browser."""
