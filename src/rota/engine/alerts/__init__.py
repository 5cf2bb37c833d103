"""Alerts: findings, incidents and the messages about them, kept in the store."""
