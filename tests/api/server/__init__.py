"""The server: what it refuses, how it answers, what it weighs."""
