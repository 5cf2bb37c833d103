"""Views of queues."""
