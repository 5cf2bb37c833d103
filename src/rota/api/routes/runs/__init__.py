"""Runs: submit, find, list, cancel, run again, and what their handlers did outside."""
