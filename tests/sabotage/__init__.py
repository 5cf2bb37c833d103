"""Deliberate bugs, each with the tests that must notice it: the suites are tested, not the code."""
