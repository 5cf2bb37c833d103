"""The order in which runs start, and the dependencies that they wait for."""
