"""Identity: tokens, permissions, namespaces, the audit."""
