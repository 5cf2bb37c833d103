"""The interface of compiled triggers. Instants are milliseconds since the Unix epoch, UTC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable


class Timetable(Protocol):
    """A pure rule for the next instant. Compiled once, queried often, in bounded time."""

    def after(self, instant: int) -> int | None:
        """Return the first firing strictly later, or None after the last."""
        ...

    def marks(self, instant: int) -> tuple[str, ...]:
        """Return why a firing is not where the rule puts it: gap, fold, day off; often empty."""
        ...


class Never:
    """Never fires."""

    def after(self, instant: int) -> int | None:  # noqa: ARG002  # as all timetables
        return None

    def marks(self, instant: int) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def firings(timetable: Timetable, after: int, until: int) -> Iterator[int]:
    """Yield all firings later than `after` and not later than `until`, in order."""
    at = timetable.after(after)
    while at is not None and at <= until:
        yield at
        at = timetable.after(at)


@runtime_checkable
class Countable(Timetable, Protocol):
    """A timetable that can count firings without naming each instant."""

    def count(self, after: int, until: int) -> int:
        """Return the number of firings later than `after` and not later than `until`."""
        ...
