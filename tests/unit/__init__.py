"""Model, rules and the shape of the source: no services, mostly milliseconds."""
