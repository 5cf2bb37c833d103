"""The lifeline: the status of a worker process for its supervisor, in memory that outlives both.

An exit code proves nothing: any handler can end its process with any code. So a process that leaves
on purpose records that here, one that serves records its beats, and the supervisor that starts it
again reads here whose runs to take back.
"""

from __future__ import annotations

import mmap
import os
import struct

_BEATS = struct.Struct("<Q")
_PATIENCE_AT, _HAS_SERVED_AT, _IS_WATCHED_AT, _FAREWELL_AT, _CODE_AT, _AWAY_AT, _CLOSED_AT = range(
    8, 15
)
_ID_AT, _ID_BYTES = 16, 36
LONGEST_S = 255
"""The longest patience that fits into its byte."""


class Lifeline:
    """Made before the fork; the worker process writes, its parents read."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self.owner = os.getpid()
        """The process that supervises all others with this lifeline."""

    def begin(self, worker_id: str) -> None:
        """Begin a new life; the status of the one before does not count for it."""
        self._page[_ID_AT : _ID_AT + _ID_BYTES] = worker_id.encode().ljust(_ID_BYTES, b"\0")
        self._page[_IS_WATCHED_AT] = self._page[_FAREWELL_AT] = self._page[_CLOSED_AT] = 0

    def serve(self, patience_s: float) -> None:
        """Promise beats; a process that does not beat for `patience_s` may be taken for stuck."""
        self._page[_PATIENCE_AT] = min(LONGEST_S, max(1, round(patience_s)))
        self._page[_HAS_SERVED_AT] = self._page[_IS_WATCHED_AT] = 1
        self._page[_AWAY_AT] = 0

    def beat(self) -> None:
        _BEATS.pack_into(self._page, 0, self.beats + 1)

    def leave(self) -> None:
        """Stop promising beats: the process drains, which takes as long as it takes."""
        self._page[_IS_WATCHED_AT] = 0

    def say_farewell(self, code: int) -> None:
        """Record that the process ends on purpose, with this exit code."""
        self._page[_CODE_AT] = code & 0xFF
        self._page[_FAREWELL_AT] = 1

    def say_closed(self) -> None:
        """Record that descriptors were closed: the process ends, and its log may lead anywhere."""
        self._page[_CLOSED_AT] = 1

    def is_first_to_find_it_away(self) -> bool:
        """Whether nobody has reported yet that the store is away, since it was last reached."""
        was_told, self._page[_AWAY_AT] = self._page[_AWAY_AT], 1
        return not was_told

    @property
    def beats(self) -> int:
        return int(_BEATS.unpack_from(self._page, 0)[0])

    @property
    def patience_s(self) -> int | None:
        """Return how many seconds to wait for a beat; None while none is promised."""
        return self._page[_PATIENCE_AT] if self._page[_IS_WATCHED_AT] else None

    @property
    def has_served(self) -> bool:
        """Whether any life has come as far as serving: then the next one can, too."""
        return bool(self._page[_HAS_SERVED_AT])

    @property
    def farewell(self) -> int | None:
        """The exit code that the last life announced; None without an announcement."""
        return self._page[_CODE_AT] if self._page[_FAREWELL_AT] else None

    @property
    def was_closed(self) -> bool:
        """Whether the last life ended because its descriptors were closed."""
        return bool(self._page[_CLOSED_AT])

    @property
    def worker_id(self) -> str | None:
        """The worker id of the last life."""
        return self._page[_ID_AT : _ID_AT + _ID_BYTES].rstrip(b"\0").decode() or None
