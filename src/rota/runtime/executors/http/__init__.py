"""HTTP requests as handlers."""
