"""Events: facts from outside, and the live stream."""
