"""Past instants of a schedule, run a few at a time."""
