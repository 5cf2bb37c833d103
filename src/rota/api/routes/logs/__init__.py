"""Routes that read and search the log lines of runs."""
