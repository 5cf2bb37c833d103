"""Texts: names, durations, times, YAML."""
