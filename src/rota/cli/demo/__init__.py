"""`rota demo`: a few real examples, shown while they run."""
