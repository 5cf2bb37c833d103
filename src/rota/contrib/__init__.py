"""Rota inside other frameworks; each part needs the framework of its name."""
