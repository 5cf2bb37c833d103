"""Values too large for a row, cached results, and stored texts that may be unreadable."""
