"""Submitting, reading and waiting for runs, many requests in one transaction."""
