"""The long comparison of cron with its oracle; `make test` runs the first cases of it."""
