"""What holds a queued run back, and what lets it go."""
