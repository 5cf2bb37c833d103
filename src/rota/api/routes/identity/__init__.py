"""Tokens, sessions, sign-in, namespaces, the audit log."""
