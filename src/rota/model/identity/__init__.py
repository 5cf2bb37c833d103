"""Credentials, tokens, namespaces, and entries of the audit log."""
