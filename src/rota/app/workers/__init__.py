"""What an app gives its workers: their jobs, options and handlers."""
