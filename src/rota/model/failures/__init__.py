"""Views of failures: dead letters."""
