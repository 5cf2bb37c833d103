"""What a compiled trigger answers. Instants are milliseconds since the Unix epoch, UTC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable


class Timetable(Protocol):
    """A pure rule: when next. Compiled once, asked often, bounded in time for any instant."""

    def after(self, instant: int) -> int | None:
        """The first firing strictly later, or None when there is none any more."""
        ...

    def marks(self, instant: int) -> tuple[str, ...]:
        """Why it is not where the plain rule puts it: gap, fold, day off; often empty."""
        ...


class Never:
    """Nothing comes by itself."""

    def after(self, instant: int) -> int | None:  # noqa: ARG002  # as all timetables
        return None

    def marks(self, instant: int) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def firings(timetable: Timetable, after: int, until: int) -> Iterator[int]:
    """All firings later than `after` and not later than `until`, in order."""
    at = timetable.after(after)
    while at is not None and at <= until:
        yield at
        at = timetable.after(at)


@runtime_checkable
class Countable(Timetable, Protocol):
    """One that can say how often it fires without naming each instant."""

    def count(self, after: int, until: int) -> int:
        """How many firings there are later than `after` and not later than `until`."""
        ...
