"""Commands about jobs, job files and releases."""
