"""The store: files, connections, commits, plans of statements."""
