"""Lines that runs print."""
