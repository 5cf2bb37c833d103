"""The web UI in a real browser, against real servers and workers on both databases."""
