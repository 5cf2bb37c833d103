"""Alerts: which findings a rule covers, when people are told, and in which words."""
