"""Runs: submit, find, list, cancel and rerun them, and the effects of their handlers."""
