"""Operations on tokens, namespaces and the audit."""
