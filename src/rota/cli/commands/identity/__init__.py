"""Commands about tokens, namespaces and the audit log."""
