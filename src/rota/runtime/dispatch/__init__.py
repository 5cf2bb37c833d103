"""Claiming runs for free slots, and reporting how they ended."""
