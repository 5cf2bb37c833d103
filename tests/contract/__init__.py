"""What store and engine promise, with the same bodies on both databases."""
