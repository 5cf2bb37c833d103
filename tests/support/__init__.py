"""Shared tools of tests and benchmarks: throw-away servers and a view of our own source."""
