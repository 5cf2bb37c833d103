"""Graphs of an app: functions that are traced into nodes and edges."""
