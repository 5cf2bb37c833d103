"""Insight: why, doctor, statistics, metrics."""
