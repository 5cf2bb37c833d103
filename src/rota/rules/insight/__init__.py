"""Checks of `rota doctor`, figures for monitoring, and cursors over changing rows."""
