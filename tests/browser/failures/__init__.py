"""Failures: retries, dead letters, breakers, and what fails alone."""
