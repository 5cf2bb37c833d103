"""Limits on what programs, requests and credentials may do."""
