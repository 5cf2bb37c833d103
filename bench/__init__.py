"""Measurements: our figures beside the raw limit of the database and beside peers."""
