"""Job files: YAML 1.2 that is read into the same specs that Python makes."""
