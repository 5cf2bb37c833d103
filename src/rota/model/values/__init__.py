"""Values that a run leaves behind: artifacts and recorded effects."""
