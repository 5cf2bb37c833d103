"""Views of schedules: firings, their outcomes, and backfills."""
