"""Values: large ones, and results that are used again."""
