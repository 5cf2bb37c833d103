"""Figures about runs in the words of the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.cli.times import coarse

if TYPE_CHECKING:
    from rota.model.insight.statistics import Quantiles


def quantiles(times: Quantiles) -> str:
    """Return `half up to 6 ms, 95 % up to 9 ms`; empty without any run."""
    named = (("half", times.p50_ms), ("95 %", times.p95_ms), ("99 %", times.p99_ms))
    return ", ".join(f"{name} up to {coarse(ms)}" for name, ms in named if ms is not None)


def share(rate: float | None) -> str:
    """Return the share of successes."""
    return "none ended" if rate is None else f"{rate:.1%}"
