"""In which order runs start, and what they wait for."""
