"""Rules for retries, breakers, causes of failures and failure handlers."""
