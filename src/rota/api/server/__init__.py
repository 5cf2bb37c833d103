"""What every request passes, and what all requests of one server process share."""
