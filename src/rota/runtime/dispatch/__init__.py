"""Claiming runs for free slots, and telling the store how they ended."""
