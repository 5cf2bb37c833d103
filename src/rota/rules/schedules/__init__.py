"""When a schedule fires, and what follows a firing."""
