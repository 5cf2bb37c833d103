"""Values too large for a row, results that may be reused, texts that cannot be read."""
