"""Admission: what holds runs back, and what lets them go."""
