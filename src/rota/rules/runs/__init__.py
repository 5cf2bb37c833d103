"""What a run is told of itself: the times it is for, the keys of its effects."""
