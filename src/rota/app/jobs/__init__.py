"""Jobs of an app: definitions, and submits of their runs."""
