"""What handlers print and log, on its way to the store."""
