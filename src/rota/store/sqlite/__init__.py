"""The SQLite store: one file, one writer, group commit."""
