"""The fields of a cron line and the numbers in them: lists, ranges, steps, names, `H`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from rota.errors import BadCron
from rota.rules.schedules.zones import LAST_YEAR

FIRST_YEAR = 1970
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")

_ITEM = re.compile(r"([^/-]+)(?:-([^/-]+))?(?:/([^/-]+))?")
_HASH = re.compile(r"H(?:\(([0-9]{1,4})-([0-9]{1,4})\))?(?:/([0-9]{1,4}))?")
_NUMBER = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CronField:
    """The values that one field may hold, in the numbering of its dialect."""

    name: str
    low: int
    high: int
    names: dict[str, int] = field(default_factory=dict)
    also: int | None = None
    """A number past `high` that means `low`: 7 is Sunday, too."""
    wraps: bool = False
    """Whether ranges such as FRI-MON and 22-2 wrap around."""
    wraps_to_low: bool = False
    """Whether only ranges such as FRI-0 wrap: Sunday ends the week as well as begins it."""
    has_open_steps: bool = True
    """Whether `5/15` is allowed; it means 5, 20, 35, 50."""
    has_hash: bool = True
    hash_high: int | None = None
    """The end of the range of `H` where it is not `high`: every month has a day 28."""
    hint: str = ""
    """The hint that an out-of-range error adds."""

    def fail(self, item: str, reason: str) -> BadCron:
        return BadCron(f"{self.name} {item!r:.40}: {reason}")

    def values(self, item: str, seed: str) -> frozenset[int]:
        """Return the numbers that one item of the list stands for."""
        if item.startswith("H"):
            return frozenset(self._hash_values(item, seed))
        match = _ITEM.fullmatch(item)
        if match is None:
            raise self.fail(item, f"cannot be read; {self._forms()}")
        first, last, step = match.groups()
        if step is not None and last is None and first != "*" and not self.has_open_steps:
            raise self.fail(item, f"a step needs a range; write {first}-{self.high}/{step}")
        by = 1 if step is None else self._step(item, step)
        low, high = self._range(item, first, last, is_open=step is not None)
        return frozenset(self._walk(item, low, high, by))

    def number(self, item: str, text: str) -> int:
        """Parse a number or a name of this field."""
        value = self.names.get(text)
        if value is not None:
            return value
        if not _NUMBER.fullmatch(text):
            raise self.fail(item, f"{text!r:.20} is no {self.name}; {self._forms()}")
        value = int(text)
        limit = self.high if self.also is None else self.also
        if not self.low <= value <= limit:
            raise self.fail(item, f"{value} is not between {self.low} and {limit}{self.hint}")
        return value

    def _range(self, item: str, first: str, last: str | None, *, is_open: bool) -> tuple[int, int]:
        if first == "*":
            if last is not None:
                raise self.fail(item, f"a range has two numbers; write {self.low}-{self.high}")
            return self.low, self.high
        low = self.number(item, first)
        if last is None:
            return low, self.high if is_open else low
        high = self.number(item, last)
        if high < low and self.wraps_to_low and high == self.low and self.also is not None:
            high = self.also
        return low, high

    def _walk(self, item: str, low: int, high: int, by: int) -> Iterator[int]:
        size = self.high - self.low + 1
        if high < low:
            if not self.wraps:
                ahead = f"{low}-{self.high},{self.low}-{high}"
                raise self.fail(item, f"the range runs backwards; write {ahead}")
            high += size
        for value in range(low, high + 1, by):
            yield self.low + (value - self.low) % size

    def _step(self, item: str, text: str) -> int:
        if not _NUMBER.fullmatch(text) or int(text) == 0:
            raise self.fail(item, f"the step {text!r:.20} is not a number of at least 1")
        return int(text)

    def _hash_values(self, item: str, seed: str) -> Iterator[int]:
        match = _HASH.fullmatch(item)
        if match is None or not self.has_hash:
            hint = "write H, H/15 or H(0-29)" if self.has_hash else self._forms()
            raise self.fail(item, f"cannot be read; {hint}")
        first, last, step = match.groups()
        low, high = self.low, self.high if self.hash_high is None else self.hash_high
        if first is not None:
            low, high = self.number(item, first), self.number(item, last)
        if not low <= high <= self.high:
            raise self.fail(item, f"the range of H is not within {self.low}-{self.high}")
        by = high - low + 1 if step is None else self._step(item, step)
        if by > high - low + 1:
            raise self.fail(item, f"the step {by} is larger than the range {low}-{high}")
        return iter(range(low + _spread(seed, self.name) % by, high + 1, by))

    def _forms(self) -> str:
        names_text = f" or {'-'.join((*self.names,)[:: len(self.names) - 1])}" if self.names else ""
        return f"write *, {self.low}-{self.high}{names_text}, a list or a step such as */2"


def _spread(seed: str, name: str) -> int:
    """Return a number that depends on seed and field, and is equal on every machine."""
    digest = blake2b(f"{name}\0{seed}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def numbered(names: tuple[str, ...], first: int) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, first)}


SECOND = CronField(name="second", low=0, high=59)
MINUTE = CronField(name="minute", low=0, high=59)
HOUR = CronField(name="hour", low=0, high=23)
DAY = CronField(name="day of month", low=1, high=31, hash_high=28)
MONTH = CronField(name="month", low=1, high=12, names=numbered(MONTHS, 1))
WEEKDAY = CronField(name="day of week", low=0, high=6, names=numbered(WEEKDAYS, 0))
YEAR = CronField(name="year", low=FIRST_YEAR, high=LAST_YEAR, has_hash=False)
