"""The server over real sockets, in this process, on both databases."""
