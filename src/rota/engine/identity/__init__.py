"""Tokens, sessions and namespaces, and the audit log of changes."""
