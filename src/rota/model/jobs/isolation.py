"""Isolation: whether the handler of a job runs in a thread of its worker or in its own process."""

from __future__ import annotations

from typing import Literal

Isolation = Literal["thread", "process"]
