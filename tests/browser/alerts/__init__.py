"""Alerts: whom they reach, what is wrong now, and who decides that."""
