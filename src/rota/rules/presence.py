"""Presence: which workers are declared dead before their leases expire.

This is only an optimisation. A worker that is declared dead wrongly finds its fence outdated and
does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

GRACE_MS = 3_500
"""The time a missing worker has to return.

A worker that lost only its session reports every second until it has another (runtime.heartbeat).
After a restart of the server it is back within two seconds.
"""
FEW = 3
"""The number of workers that may die at once in any fleet; above it, at most half the fleet."""
AT_ONCE_MS = 2_000
"""Deaths further apart than this are independent, however many they become."""


class Sighting(NamedTuple):
    """A worker as others see it."""

    worker_id: str
    presence: str
    silent_ms: int
    """Milliseconds since its last heartbeat."""
    missing_ms: int | None
    """Milliseconds since its process was first missed; None if it was present at the last look."""
    is_spared: bool
    """True if reaping has just resumed and the worker could not yet renew its lease."""


class Absences(NamedTuple):
    """The result of one look at the fleet."""

    missing: tuple[str, ...]
    """Workers that are missing, now or since an earlier look."""
    found: tuple[str, ...]
    """Workers that were missing and are present again."""
    dead: tuple[str, ...]
    """Workers whose leases end now."""


def absences(
    fleet: Sequence[Sighting], vanished: Collection[str], *, is_certain: bool = False
) -> Absences:
    """Judge one look at all workers; `vanished` are the presences that have vanished.

    If many vanish at once, and more than half of a fleet, then the database or the network failed,
    not the workers.
    """
    missing = [each for each in fleet if each.presence in vanished]
    silent = [
        each for each in fleet if each.presence not in vanished and each.missing_ms is not None
    ]
    most = max(FEW, len(fleet) // 2)
    dead = [
        each
        for each in missing
        if is_certain
        or (not each.is_spared and _is_overdue(each) and _went_with(each, missing) <= most)
    ]
    return Absences(_ids(missing), _ids(silent), _ids(dead))


def _went_with(worker: Sighting, missing: Sequence[Sighting]) -> int:
    """Return how many vanished at the same time, the worker itself included."""
    away_ms = worker.missing_ms or 0
    return sum(abs((each.missing_ms or 0) - away_ms) <= AT_ONCE_MS for each in missing)


def _is_overdue(worker: Sighting) -> bool:
    missing_ms = worker.missing_ms
    return missing_ms is not None and missing_ms >= GRACE_MS and worker.silent_ms >= GRACE_MS


def _ids(workers: Sequence[Sighting]) -> tuple[str, ...]:
    return tuple(each.worker_id for each in workers)
