"""Commands about dead letters and breakers."""
