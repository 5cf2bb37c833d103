"""Monitors: what pings mean, and what a monitor expects."""
