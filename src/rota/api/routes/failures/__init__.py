"""Dead letters and breakers."""
