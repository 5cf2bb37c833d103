"""What tests and benchmarks stand on: throw-away servers and a view of our own source."""
