"""When a schedule fires, and what happens then."""
