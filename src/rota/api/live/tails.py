"""The log lines of runs that clients follow: read once for all of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from rota.api.live.topics import Ends
from rota.engine.logs import LogCursor, read
from rota.model.logs.log import FoundLine
from rota.store.base import Tx

CHUNKS = 50
"""The most chunks of one run in one look."""


class _Tail(NamedTuple):
    namespace: str
    ends: dict[int, int]


class Tails:
    """How far the log of each run has been read."""

    def __init__(self) -> None:
        self._tails: dict[str, _Tail] = {}

    def follow(self, run_id: str, namespace: str, ends: Ends) -> None:
        """Follow a run from these ends on.

        A client that follows the run already has come further and gets no line twice.
        """
        known = self._tails.get(run_id)
        if known is None:
            self._tails[run_id] = _Tail(namespace, dict(ends))
            return
        for claim, seq in known.ends.items():
            known.ends[claim] = min(seq, ends.get(claim, 0))

    def keep(self, run_ids: Collection[str]) -> None:
        """Forget the runs that no client follows any more."""
        self._tails = {each: tail for each, tail in self._tails.items() if each in run_ids}

    def look(self, tx: Tx) -> list[FoundLine]:
        """Read the new lines of all followed runs; the state of the tails stays as it is."""
        tails = tuple(self._tails.items())
        return [
            line
            for run_id, (namespace, ends) in tails
            for line in lines_after(tx, run_id, namespace=namespace, ends=ends)
        ]

    def take_in(self, line: FoundLine) -> None:
        """Note that a line was sent."""
        tail = self._tails.get(line.run_id)
        if tail is not None:
            tail.ends[line.fence] = line.seq


def lines_after(tx: Tx, run_id: str, *, namespace: str, ends: Ends) -> list[FoundLine]:
    """Return the next lines of a run; empty if it has none."""
    seen = [LogCursor(claim, seq) for claim, seq in ends.items()] or [LogCursor(-1, 0)]
    return read(tx, run_id, namespace=namespace, seen=seen, limit=CHUNKS)
