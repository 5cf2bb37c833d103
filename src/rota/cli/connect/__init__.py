"""Where commands ask: the database itself, or a server."""
