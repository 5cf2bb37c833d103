"""Views about runs besides the run itself: short answers and reasons."""
