"""Importers: other schedulers' files become job files, and a report says what would differ."""
