"""The chaos run in its short form, and a failover under load."""
