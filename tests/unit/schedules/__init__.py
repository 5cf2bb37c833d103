"""Schedules: when they fire, and what becomes of each instant."""
