"""Schedules: their definitions, firings, forecasts and past."""
