"""The processes that commands start: workers, servers, and what they print."""
