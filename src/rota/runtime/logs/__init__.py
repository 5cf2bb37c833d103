"""Handler output and log records, on their way to the store."""
