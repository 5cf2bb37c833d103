"""Time for the rest of the code: a parameter, or the database's clock.

Only this module and the database know the time; hosts measure durations only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

# CLOCK_BOOTTIME counts suspend, so a laptop that slept through its lease notices.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_EPOCH = datetime.fromtimestamp(0, UTC)


class Moment(datetime):
    """An instant in UTC, to the millisecond; as JSON it is text of fixed width.

    Texts of fixed width sort as times do: 2026-11-15T20:37:52.123Z.
    """

    __slots__ = ()

    @property
    def ms(self) -> int:
        """Return the store's integer milliseconds."""
        return to_ms(self)

    def text(self) -> str:
        """Return the text, such as 2026-11-15T20:37:52.123Z."""
        return self.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_FIRST_MOMENT = Moment(1970, 1, 1, tzinfo=UTC)

elapsed_s: Callable[[], float] = partial(time.clock_gettime, _CLOCK)
"""Seconds on a clock that never jumps; for durations only. Called several times per run."""


def to_datetime(ms: int) -> datetime:
    """Return an aware UTC time from the store's integer milliseconds."""
    return _EPOCH + timedelta(milliseconds=ms)  # exact: a float of seconds is not, beyond 2242


def moment(ms: int) -> Moment:
    """Return the store's integer milliseconds as an instant."""
    return _FIRST_MOMENT + timedelta(milliseconds=ms)  # a Moment, as its class is kept


def moment_or_none(ms: int | None) -> Moment | None:
    """The store's integer milliseconds as an instant, where there are any."""
    return None if ms is None else moment(ms)


def read_moment(text: str) -> Moment:
    """Read an instant from its text; a text without a zone is refused."""
    moment = Moment.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no zone")
    return moment.astimezone(UTC)


def to_text(ms: int) -> str:
    """Return 2026-11-15T20:37:52.123Z: of fixed width, so that texts sort as times do."""
    return moment(ms).text()


def to_ms(when: datetime) -> int:
    """Return the store's integer milliseconds from an aware time."""
    if when.tzinfo is None:
        raise ValueError("a time needs a zone: use datetime(..., tzinfo=UTC) or .astimezone()")
    return round(when.timestamp() * 1000)
