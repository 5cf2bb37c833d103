"""One attempt of a run: what its handler may know and ask for."""
