"""What pings of foreign jobs mean."""
