"""The union of triggers: each instant once, however many of them fire."""

from __future__ import annotations

from collections.abc import Sequence

from rota.rules.schedules.timetable import Timetable


class Union:
    """Fires when any of them does."""

    def __init__(self, compiled: Sequence[Timetable]) -> None:
        self._compiled = tuple(compiled)

    def after(self, instant: int) -> int | None:
        instants = (timetable.after(instant) for timetable in self._compiled)
        return min((at for at in instants if at is not None), default=None)

    def marks(self, instant: int) -> tuple[str, ...]:
        """Return the notes of all triggers that fire then, each once."""
        firing = (each for each in self._compiled if each.after(instant - 1) == instant)
        return tuple(dict.fromkeys(mark for each in firing for mark in each.marks(instant)))
