"""Overlap: the fate of a start while other runs of its schedule have not ended.

One set of rules covers starts by time, by event and by hand, and backfills, which give way to all
others. Counts alone decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Literal, TypeVar

import msgspec

from rota.model.schedules.definitions import Overlap

T = TypeVar("T")

Decision = Literal["started", "waits", "skipped", "dropped"]
"""Dropped: another start took its place, or too many wait. Skipped: a run is in progress."""
_STARTED: tuple[Decision, ...] = ("started",)
_WAITS: tuple[Decision, ...] = ("waits",)
_DROPPED: tuple[Decision, ...] = ("dropped",)
_SKIPPED: tuple[Decision, ...] = ("skipped",)


class Crowd(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a schedule that have not ended."""

    running: int = 0
    """The runs that may run: queued, running, or between two attempts."""
    stopping: int = 0
    """How many of the running were asked to stop."""
    lent: int = 0
    """How many of the running belong to backfills; a new start waits at least for these."""
    is_blocked: bool = False
    """Whether, with strict order, a failed run still blocks the schedule."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of runs that may run and wait."""

    overlap: Overlap = "allow"
    parallel: int = 1
    backlog: int = 100


class Outcome(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """The decision on each start; waiting starts that are not listed keep waiting."""

    released: tuple[T, ...] = ()
    """Waiting starts that start now."""
    dropped: tuple[T, ...] = ()
    """Waiting starts that are dropped for newer ones."""
    decisions: tuple[Decision, ...] = ()
    """One for each new start, in order."""
    cancels: int = 0
    """The number of running runs to stop, the oldest first."""


def decide(
    policy: Policy, crowd: Crowd, *, waiting: Sequence[T] = (), fresh: Sequence[T] = ()
) -> Outcome[T]:
    """Decide which starts start, wait or are dropped; both lists are in order, oldest first.

    A changed policy applies to waiting starts at once.
    """
    if policy.overlap == "allow":
        return Outcome(released=tuple(waiting), decisions=_STARTED * len(fresh))
    free = max(0, policy.parallel - crowd.running)
    if crowd.is_blocked and policy.overlap == "strict":
        free = 0
    if policy.overlap == "cancel_old":
        return _newest_wins(policy, crowd, waiting, fresh, free=free)
    released = tuple(waiting[:free])
    free -= len(released)
    still_waiting = waiting[len(released) :]
    started = min(free, len(fresh))
    rest = fresh[started:]
    if policy.overlap == "newest":
        return _only_newest_waits(released, still_waiting, rest, started)
    room = _room(policy, crowd, len(still_waiting))
    waits = min(room, len(rest))
    refused = _SKIPPED if policy.overlap == "skip" else _DROPPED
    return Outcome(
        released=released,
        decisions=_STARTED * started + _WAITS * waits + refused * (len(rest) - waits),
    )


def places(policy: Policy, crowd: Crowd, *, waiting: int) -> int:
    """Return how many backfill runs may start now, within `parallel` and behind waiting starts."""
    if policy.overlap == "allow":
        return max(0, 1 - crowd.lent)
    is_held = waiting or (crowd.is_blocked and policy.overlap == "strict")
    return 0 if is_held else max(0, policy.parallel - crowd.running)


def _room(policy: Policy, crowd: Crowd, waiting: int) -> int:
    most = {"skip": crowd.lent, "queue_one": 1}.get(policy.overlap, policy.backlog)
    return max(0, most - waiting)


def _only_newest_waits(
    released: tuple[T, ...], still_waiting: Sequence[T], rest: Sequence[T], started: int
) -> Outcome[T]:
    dropped = tuple(still_waiting) if rest else tuple(still_waiting[:-1])
    tail = _DROPPED * (len(rest) - 1) + _WAITS if rest else ()
    return Outcome(released=released, dropped=dropped, decisions=_STARTED * started + tail)


def _newest_wins(
    policy: Policy, crowd: Crowd, waiting: Sequence[T], fresh: Sequence[T], *, free: int
) -> Outcome[T]:
    """Ask old runs to stop; the newest start begins as soon as these have ended."""
    line = [*waiting, *fresh]
    newest = line[-policy.parallel :] if line else []
    dropped = len(line) - len(newest)
    starting = min(free, len(newest))
    new_kept = min(len(newest), len(fresh))
    old_kept = len(newest) - new_kept
    new_started = max(0, starting - old_kept)
    decisions = (
        _DROPPED * (len(fresh) - new_kept)
        + _STARTED * new_started
        + _WAITS * (new_kept - new_started)
    )
    return Outcome(
        released=tuple(newest[: min(starting, old_kept)]),
        dropped=tuple(waiting[: min(dropped, len(waiting))]),
        decisions=decisions,
        cancels=max(0, len(newest) - starting - crowd.stopping),
    )
