"""Commands that explain and examine."""
