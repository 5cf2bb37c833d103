"""Retries, breakers, causes of failures, and who is told of them."""
