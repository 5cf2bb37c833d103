"""Commands about workers."""
