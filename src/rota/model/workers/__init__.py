"""Views of workers."""
