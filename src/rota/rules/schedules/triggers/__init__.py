"""Compiled triggers, one small file per kind."""

from rota.rules.schedules.triggers.compile import compile_schedule, compile_trigger, is_spread

__all__ = ["compile_schedule", "compile_trigger", "is_spread"]
