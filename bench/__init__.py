"""Benchmarks: Rota's figures beside the raw limit of the database and beside peers."""
