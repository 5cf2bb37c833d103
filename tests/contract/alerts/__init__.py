"""Alerts: incidents, messages, rules and channels."""
