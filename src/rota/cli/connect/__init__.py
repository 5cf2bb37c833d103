"""The connection of a command: to the database itself, or to a server."""
