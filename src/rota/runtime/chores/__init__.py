"""Background services that any process may run: scheduler, promoter, reaper, pruner, alerts."""
