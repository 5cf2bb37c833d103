"""The ways to run an attempt: threads, event loops, child processes, commands, HTTP requests."""
