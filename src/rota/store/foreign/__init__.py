"""Transactions of the user's own database connection."""
