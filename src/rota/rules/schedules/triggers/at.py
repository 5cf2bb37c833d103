"""A single time, or several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC

from rota.errors import BadOption
from rota.model.schedules.definitions import At, Fold, Gap
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.triggers.any_of import Union
from rota.rules.schedules.triggers.wall_times import Listed, OnWalls
from rota.rules.schedules.zones import Zone, local_ms
from rota.rules.text.moments import read_moment, read_wall

MAX_TIMES = 1_000


class Instants:
    """The given instants, each once."""

    def __init__(self, instants: Iterable[int]) -> None:
        self._instants = sorted(set(instants))

    def after(self, instant: int) -> int | None:
        index = bisect_right(self._instants, instant)
        return self._instants[index] if index < len(self._instants) else None

    def marks(self, instant: int) -> tuple[str, ...]:
        del instant  # an instant is where it is
        return ()


def compile_at(trigger: At, *, zone: Zone, gap: Gap, fold: Fold) -> Timetable:
    """Compile the times; BadOption for an empty or too long list."""
    if not 0 < len(trigger.times) <= MAX_TIMES:
        raise BadOption(f"at has {len(trigger.times):,} times; give 1 to {MAX_TIMES:,}")
    fixed = [moment for text in trigger.times if (moment := read_moment("at", text)).tzinfo]
    walls = [read_wall("at", text) for text in trigger.times if not read_moment("at", text).tzinfo]
    on_walls = OnWalls(Listed(walls), zone=zone, gap=gap, fold=fold)
    instants = Instants(local_ms(moment.astimezone(UTC)) for moment in fixed)
    if not fixed or not walls:
        return instants if fixed else on_walls
    return Union((instants, on_walls))
