"""Workers: the registry, and what remote workers ask for."""
