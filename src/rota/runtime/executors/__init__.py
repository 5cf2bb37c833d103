"""The ways to run a call: threads, event loops, child processes, commands, HTTP requests."""
