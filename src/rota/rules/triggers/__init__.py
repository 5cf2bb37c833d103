"""Triggers made ready to answer: one small file for each kind."""

from rota.rules.triggers.compile import compile_schedule, compile_trigger

__all__ = ["compile_schedule", "compile_trigger"]
