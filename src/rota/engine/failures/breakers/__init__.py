"""Circuit breakers: tallies, states and probes."""
