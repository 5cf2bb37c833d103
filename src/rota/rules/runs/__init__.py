"""The facts that a run gets about itself: its times, and the keys of its effects."""
