"""Authentication and authorization: credentials, sign-in, roles, permissions."""
