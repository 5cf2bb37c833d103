"""Schedules as people see them."""

from __future__ import annotations

from typing import Literal

ScheduleState = Literal["active", "paused", "error", "ended"]
