"""Who asks, and what they may do: credentials, sign-in, roles, permissions."""
