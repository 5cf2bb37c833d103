"""Views of schedules: what fires, what came of it, and backfills."""
