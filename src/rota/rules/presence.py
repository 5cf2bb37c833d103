"""Presence: which workers are given up before their lease runs out.

An optimisation only: who is given up wrongly finds its fence outdated and does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

GRACE_MS = 3_500
"""A worker that only lost its session says so every second until it has another
(runtime.heartbeat); after a restart of the server it is back within two."""
FEW = 3
"""So many may die at once, of a fleet of any size; of more not more than half."""
AT_ONCE_MS = 2_000
"""Workers that go one after the other die each for itself, however many they are in the end."""


class Sighting(NamedTuple):
    """A worker as others see it."""

    worker_id: str
    presence: str
    silent_ms: int
    """Since its last heartbeat."""
    missing_ms: int | None
    """Since its process was first not seen; None when it was there at the last look."""
    is_spared: bool
    """Reaping has just begun again, and it has had no chance yet to renew its lease."""


class Absences(NamedTuple):
    """What one look at the fleet has told."""

    missing: tuple[str, ...]
    """Not seen any more, now or since an earlier look."""
    found: tuple[str, ...]
    """Were missing and are there again."""
    dead: tuple[str, ...]
    """Their leases end now."""


def absences(
    fleet: Sequence[Sighting], gone: Collection[str], *, is_certain: bool = False
) -> Absences:
    """Judge one look at all workers; `gone` are the presences that are not there any more.

    When many go at once, and more than half of a fleet, the database or the network went, not
    they.
    """
    missing = [each for each in fleet if each.presence in gone]
    found = [each for each in fleet if each.presence not in gone and each.missing_ms is not None]
    most = max(FEW, len(fleet) // 2)
    dead = [
        each
        for each in missing
        if is_certain
        or (not each.is_spared and _is_overdue(each) and _went_with(each, missing) <= most)
    ]
    return Absences(_ids(missing), _ids(found), _ids(dead))


def _went_with(worker: Sighting, missing: Sequence[Sighting]) -> int:
    """How many went at the same time, the worker itself among them."""
    away_ms = worker.missing_ms or 0
    return sum(abs((each.missing_ms or 0) - away_ms) <= AT_ONCE_MS for each in missing)


def _is_overdue(worker: Sighting) -> bool:
    missing_ms = worker.missing_ms
    return missing_ms is not None and missing_ms >= GRACE_MS and worker.silent_ms >= GRACE_MS


def _ids(workers: Sequence[Sighting]) -> tuple[str, ...]:
    return tuple(each.worker_id for each in workers)
