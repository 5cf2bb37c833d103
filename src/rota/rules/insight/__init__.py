"""Checks of `rota doctor`, figures for monitoring, cursors over changing rows."""
