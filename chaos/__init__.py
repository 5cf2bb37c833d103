"""The chaos run: real processes, faults on purpose, and a checker that reads what is left."""
