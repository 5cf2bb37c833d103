"""Real processes that die in the middle of their work."""
