"""Job files: YAML read by the rules of version 1.2, into the same specs that Python makes."""
