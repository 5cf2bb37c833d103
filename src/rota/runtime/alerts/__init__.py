"""Senders of alerts: one for each kind of channel."""
