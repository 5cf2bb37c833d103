"""The reader: which runs have changed since its last look, none of them missed.

A look reads again from the floor of its cursor and leaves out what it knows. While a transaction is
open for long, the wide look back is made less often, and a short one in between keeps the rest
quick. Its state changes only when a look was good, so a look that failed is made again as a whole.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from rota.clock import elapsed_s
from rota.engine.insight.changes import ChangedRun, ChangeSet, Footprint, changed, mark, traces
from rota.ids import first_id
from rota.rules.insight.cursor import Cursor
from rota.store.base import Tx

OVERLAP_MS = 1000
"""The overlap of two looks: a statement may begin this long before its transaction has a number."""
SKEW_MS = 5000
"""How far the clock that made the id of a run may be behind."""
SWEEP_MS = 60_000
SWEEP_S = 5.0
"""How often to look SWEEP_MS back, for ids of clocks that are further behind."""
LONGEST_MS = 600_000
"""A longer open transaction is not waited for; when it ends, all clients start anew."""
REST = 20
"""A wide look may take one part in this many of the time."""
MOST_READ = 20_000
MOST_MADE = 4000
"""The most new runs of one look.

After a flood, nothing is known of older runs with earlier ids.
"""
MOST_TOLD = 2000
"""The most changes of one look; with more, all clients start anew."""


class FeedRead(NamedTuple):
    """The result of one look; nothing counts until it is taken in."""

    traces: ChangeSet
    changes: list[ChangedRun]
    is_many: bool
    is_wide: bool
    is_sweep: bool
    began_s: float
    took_s: float


class FeedReader:
    """The reader of one server process; it makes one look after the other."""

    def __init__(self) -> None:
        self._cursor = Cursor(longest_ms=LONGEST_MS)
        self._is_begun = False
        self._from = 0
        """The floor at the last wide look: a change that it missed appears after this moment."""
        self._now = 0
        self._now_s = 0.0
        self._oldest = self._last_oldest = 0
        """The oldest open transaction at the last wide look, and at the last look of all."""
        self._boundary = ""
        """The boundary after a flood: which runs with earlier ids are known was too much to
        remember."""
        self._known: dict[Hashable, int] = {}
        self._running: dict[str, Footprint] = {}
        self._wide_s = self._wide_took_s = self._swept_s = 0.0

    @property
    def floor(self) -> int:
        """The floor: a client that begins here misses nothing unsent; 0 before a look."""
        return max(0, self._from - OVERLAP_MS)

    @property
    def is_begun(self) -> bool:
        return self._is_begun

    @property
    def is_settled(self) -> bool:
        """Whether the reader awaits every open transaction, and has given up on none."""
        return self._is_begun and self._cursor.is_settled

    def look(self, tx: Tx) -> FeedRead:
        """Read the changes in a thread; the state of the reader stays as it is."""
        began_s = elapsed_s()
        wide, quick = self.floor, self._now - OVERLAP_MS
        pause_s = max(1.0, self._wide_took_s * REST)
        is_wide = quick - wide <= OVERLAP_MS or began_s - self._wide_s >= pause_s
        is_sweep = began_s - self._swept_s >= SWEEP_S
        since = wide if is_wide else quick
        if not self._is_begun:  # to know what was there before
            since = mark(tx).now - OVERLAP_MS
        first = max(first_id(since - (SWEEP_MS if is_sweep else SKEW_MS)), self._boundary)
        oldest = self._oldest if is_wide else self._last_oldest
        found = traces(
            tx, since=since, first=first, oldest=oldest, limit=MOST_READ, most_made=MOST_MADE
        )
        new = self._new(found) if self._is_begun else set()
        is_many = found.is_cut or len(new) > MOST_TOLD
        changes = [] if is_many else changed(tx, new, since=since - OVERLAP_MS)
        took_s = elapsed_s() - began_s
        return FeedRead(found, changes, is_many, is_wide, is_sweep, began_s, took_s)

    def take_in(self, look: FeedRead) -> bool:
        """Make a look count from now on; True when all clients have to start anew."""
        found = look.traces
        passed_ms = round((look.began_s - self._now_s) * 1000)
        is_set_back = self._is_begun and self._now + passed_ms - found.mark.now > OVERLAP_MS // 2
        is_missing = self._cursor.advance(found.mark)
        if look.is_wide:
            self._from, self._oldest = self._cursor.floor, found.mark.oldest
            self._wide_s, self._wide_took_s = look.began_s, look.took_s
        if is_set_back:  # what was written since has earlier times
            self._from = min(self._from, found.mark.now - passed_ms)
        self._now, self._now_s, self._is_begun = found.mark.now, look.began_s, True
        self._last_oldest = found.mark.oldest
        if len(found.made) > MOST_MADE:
            self._boundary = found.made[-1]
        self._remember(found)
        if look.is_sweep:
            self._swept_s = look.began_s
            oldest = self.floor - SWEEP_MS - OVERLAP_MS
            self._known = {key: at for key, at in self._known.items() if at >= oldest}
        return is_missing or look.is_many

    def _new(self, found: ChangeSet) -> set[str]:
        known = self._known
        new = {run_id for run_id in found.ended if ("ended", run_id) not in known}
        new |= {at[0] for at in found.attempts if at not in known}
        new |= {run_id for run_id in found.made if ("made", run_id) not in known}
        for run_id, footprint in found.running.items():
            if self._running.get(run_id) != footprint:
                new.add(run_id)
        return new | (self._running.keys() - found.running.keys())

    def _remember(self, found: ChangeSet) -> None:
        now = found.mark.now
        self._running = found.running
        self._known.update({("ended", run_id): at for run_id, at in found.ended.items()})
        self._known.update(found.attempts)
        self._known.update({("made", run_id): now for run_id in found.made})
