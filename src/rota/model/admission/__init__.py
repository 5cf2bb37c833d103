"""Views of what holds runs back: queues."""
