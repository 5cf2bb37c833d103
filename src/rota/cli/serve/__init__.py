"""The processes that commands start: workers, servers, and their output."""
