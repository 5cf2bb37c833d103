"""Time zones from the tzdata wheel: the only module that knows wall clocks.

The standard library prefers the zone files of the machine, and two machines with different files
would fire at different times. Here every zone is read from the wheel, whatever the machine has and
without changing anything for the rest of the process.

All instants are milliseconds since the Unix epoch, and so are offsets (local minus UTC). A zone is
a row of spans, each with one offset; a shift between two of them may have any size.
"""

from __future__ import annotations

import io
import struct
from bisect import bisect_left, bisect_right
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

import tzdata  # type: ignore[import-untyped]  # carries data and this one constant

from rota.errors import BadZone

LAST_YEAR = 2199
"""Shifts are known until the end of this year; afterwards the last offset stays."""

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - wall times are naive here, and only here
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_DAY_MS = 86_400_000
_FIRST_S = -62_000_000_000
"""The year 5: older entries only say that there was nothing before them."""
_LAST_S = int((datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC) - _EPOCH_UTC).total_seconds())
_HEAD = struct.Struct(">4s c 15x 6l")
_MINUTE_S = 60
_DAY_S = 86_400
_STEP_S = 56 * _DAY_S


class Zone:
    """One zone; get it from `zone()`."""

    def __init__(self, name: str, starts: list[int], offsets: list[int]) -> None:
        self.name = name
        self.starts = starts
        """The instants at which the offset changes, in order."""
        self.offsets = offsets
        """`offsets[i]` holds from `starts[i - 1]` until just before `starts[i]`."""

    def __repr__(self) -> str:
        return f"Zone({self.name!r})"

    def offset(self, instant: int) -> int:
        """Return how many milliseconds the wall clock is ahead of UTC."""
        return self.offsets[bisect_right(self.starts, instant)]

    def wall(self, instant: int) -> datetime:
        """Return the wall time, without a zone."""
        return _EPOCH + timedelta(milliseconds=instant + self.offset(instant))

    def between(self, start: int, end: int) -> list[int]:
        """Return the instants of clock changes, both ends included."""
        return self.starts[bisect_left(self.starts, start) : bisect_right(self.starts, end)]

    def instants(self, wall: datetime) -> tuple[int, ...]:
        """Return its instants: none in a gap, two in a fold (earlier first), else one."""
        local = local_ms(wall)
        nearby = range(self._span(local - _DAY_MS), self._span(local + _DAY_MS) + 1)
        return tuple(
            local - self.offsets[span]
            for span in nearby
            if self._span(local - self.offsets[span]) == span
        )

    def shift(self, wall: datetime) -> int | None:
        """Return the instant of the shift that skips this wall time; None if none does."""
        local = local_ms(wall)
        first = self._span(local - _DAY_MS)
        for before in range(first, self._span(local + _DAY_MS)):
            start = self.starts[before]
            if self.offsets[before] <= local - start < self.offsets[before + 1]:
                return start
        return None

    def gap_end(self, wall: datetime) -> int:
        """Return the first instant after the gap; for an existing wall time its first instant."""
        start = self.shift(wall)
        return self.instants(wall)[0] if start is None else start

    def same(self, wall: datetime) -> int:
        """Return the instant if clocks had not been put forward; else the first instant."""
        start = self.shift(wall)
        return self.instants(wall)[0] if start is None else local_ms(wall) - self.offset(start - 1)

    def _span(self, instant: int) -> int:
        return bisect_right(self.starts, instant)


def local_ms(wall: datetime) -> int:
    """Return a naive wall time as if it were UTC; anything finer than a millisecond is dropped."""
    return (wall.replace(tzinfo=None) - _EPOCH) // _MS


@cache
def zone(name: str) -> Zone:
    """Return the zone of an IANA name; BadZone if there is none."""
    if name not in names():
        raise BadZone(name, names())
    data = files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
    return _Reader(name, data).read()


@cache
def names() -> frozenset[str]:
    """Return every name that `zone` knows; 'UTC' is always one of them."""
    listed = files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    return frozenset((*listed.split(), "UTC"))


def data_version() -> str:
    """Return the version of the zone data in use, such as `2026b`."""
    return str(tzdata.IANA_VERSION)


class _Reader:
    """Takes the instants of the shifts from the file, and everything else from zoneinfo."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        self._data = data
        self._info = ZoneInfo.from_file(io.BytesIO(data), key=name)
        self._origin = _EPOCH.replace(tzinfo=self._info)

    def read(self) -> Zone:
        listed = [at for at in self._listed() if _FIRST_S < at < _LAST_S]
        starts: list[int] = []
        offsets = [self._offset(_FIRST_S)]
        for at in (*listed, *self._ruled(listed[-1] if listed else 0)):
            offset = self._offset(at)
            if offset != offsets[-1]:  # often only the abbreviation changes
                starts.append(at * 1_000)
                offsets.append(offset)
        return Zone(self._name, starts, [offset * 1_000 for offset in offsets])

    def _offset(self, at: int) -> int:
        offset = self._info.fromutc(self._origin + timedelta(seconds=at)).utcoffset()
        return 0 if offset is None else int(offset.total_seconds())

    def _listed(self) -> tuple[int, ...]:
        """Return the 64-bit times of a TZif file (RFC 8536); they follow a block of 32-bit ones."""
        _, version, *counts = _HEAD.unpack_from(self._data)
        if version < b"2":
            return ()
        utc, standard, leaps, times, types, letters = counts
        second = _HEAD.size + utc + standard + leaps * 8 + times * 5 + types * 6 + letters
        times = _HEAD.unpack_from(self._data, second)[5]
        return struct.unpack_from(f">{times}q", self._data, second + _HEAD.size)

    def _ruled(self, last: int) -> list[int]:
        """Return the shifts after the listed ones, all on a minute, no two within eight weeks."""
        found: list[int] = []
        low, before = (last // _MINUTE_S + 1) * _MINUTE_S, self._offset(last)
        while low < _LAST_S:
            high = low + _STEP_S
            after = self._offset(high)
            if after != before:
                found.append(self._between(low, high, before, found[-2:-1]))
            elif not found and low - last > 2 * 366 * _DAY_S:
                break  # two years without a shift: there is no rule
            low, before = high, after
        return found

    def _between(self, low: int, high: int, before: int, alike: list[int]) -> int:
        """Return where the offset changes; tries the time of day of a similar shift first."""
        if alike:
            phase = alike[0] % _DAY_S
            day = self._bisect(low - phase, high - phase + _DAY_S, before, _DAY_S, phase)
            if self._offset(day - 1) == before:
                return day
        return self._bisect(low, high, before, _MINUTE_S, 0)

    def _bisect(self, low: int, high: int, before: int, unit: int, phase: int) -> int:
        low, high = low // unit, high // unit
        while high - low > 1:
            middle = (low + high) // 2
            is_before = self._offset(middle * unit + phase) == before
            low, high = (middle, high) if is_before else (low, middle)
        return high * unit + phase
