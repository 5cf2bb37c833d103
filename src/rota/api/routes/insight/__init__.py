"""Health, metrics, statistics, search and the overview."""
