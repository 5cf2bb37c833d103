"""Convert triggers that count in wall times to instants, in one place.

The order of instants can differ from that of wall times. With the fold policy `both` an earlier
wall time comes again after a later one. With the gap policy `same` a wall time that was skipped
falls among those after the jump. So near a shift the search covers all wall times that the shift
could have moved across the instant.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from rota.model.schedules.definitions import Fold, Gap
from rota.rules.schedules.zones import Zone
from rota.rules.text.moments import EARLIEST_MS, LATEST_MS, TICK, fold_mark, gap_mark, resolve

_NEAR_MS = 25 * 3_600_000
"""The largest shift was a whole day, when Samoa crossed the date line."""


class Walls(Protocol):
    """A rule on wall times alone."""

    def after(self, wall: datetime) -> datetime | None:
        """Return the first wall time strictly later, or None."""
        ...


class OnWalls:
    """The instants of wall times in a zone, under the policies for gaps and folds."""

    def __init__(self, walls: Walls, *, zone: Zone, gap: Gap, fold: Fold) -> None:
        self._walls = walls
        self._zone = zone
        self._gap: Gap = gap
        self._fold: Fold = fold

    def after(self, instant: int) -> int | None:
        if instant >= LATEST_MS:
            return None
        instant = max(instant, EARLIEST_MS)
        reach = self._reach(instant)
        wall = self._walls.after(self._zone.wall(instant) - reach)
        best: int | None = None
        while wall is not None:
            for at in self._resolve(wall):
                if at > instant and (best is None or at < best):
                    best = at
            if best is not None and self._is_settled(wall, best, reach):
                break
            wall = self._walls.after(wall)
        return best

    def marks(self, instant: int) -> tuple[str, ...]:
        wall = self._zone.wall(instant)
        if self._is_firing(wall):
            both = self._zone.instants(wall)
            return (fold_mark(wall, is_first=instant == both[0]),) if len(both) > 1 else ()
        missing = self._moved_from(instant)
        return () if missing is None else (gap_mark(missing, wall),)

    def _resolve(self, wall: datetime) -> tuple[int, ...]:
        return resolve(wall, zone=self._zone, gap=self._gap, fold=self._fold)

    def _is_settled(self, wall: datetime, best: int, reach: timedelta) -> bool:
        """Whether no later wall time can come before the best instant so far."""
        reach = max(reach, self._reach(best))
        return not reach or wall > self._zone.wall(best) + reach

    def _reach(self, instant: int) -> timedelta:
        """Return how far a shift near the instant could put wall times out of order."""
        zone = self._zone
        first = bisect_left(zone.starts, instant - _NEAR_MS)
        last = bisect_right(zone.starts, instant + _NEAR_MS)
        shifts = (abs(zone.offsets[i + 1] - zone.offsets[i]) for i in range(first, last))
        return timedelta(milliseconds=max(shifts, default=0))

    def _is_firing(self, wall: datetime) -> bool:
        return self._walls.after(wall - TICK) == wall

    def _moved_from(self, instant: int) -> datetime | None:
        """Return the wall time in a gap that moved to this instant."""
        zone = self._zone
        span = bisect_right(zone.starts, instant) - 1
        if span < 0:
            return None
        start = zone.starts[span]
        gap_start = zone.wall(start - 1) + TICK
        if self._gap == "same":
            missing = gap_start + timedelta(milliseconds=instant - start)
            return missing if zone.shift(missing) == start and self._is_firing(missing) else None
        if instant != start:
            return None
        first = self._walls.after(gap_start - TICK)
        return first if first is not None and first < zone.wall(start) else None


class Listed:
    """A fixed list of wall times, in order."""

    def __init__(self, walls: Sequence[datetime]) -> None:
        self._walls = sorted(set(walls))

    def after(self, wall: datetime) -> datetime | None:
        index = bisect_right(self._walls, wall)
        return self._walls[index] if index < len(self._walls) else None
