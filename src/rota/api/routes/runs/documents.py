"""Words that documents of jobs and graphs have in common with runs."""

from __future__ import annotations

from typing import Any, Literal

from rota.model.states import State

Status = Literal[
    "pending", "scheduled", "queued", "running", "suspended", "success", "failed", "cancelled",
    "skipped",
]  # fmt: skip
PERCENT = 100


def percent(fraction: float | None) -> float | None:
    return None if fraction is None else round(fraction * PERCENT, 2)


def status_of(state: State) -> Any:
    return str(state)
