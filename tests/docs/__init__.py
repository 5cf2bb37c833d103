"""The documentation is executed: its examples run, its tables match the code, its links lead."""
