"""Backfills: runs for the past instants of a schedule, and their progress."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

Reprocess = Literal["missing", "failed", "all"]
"""The instants that get a run: those without one, also those that failed, or all.

An instant gets none while an earlier run of it has not ended.
"""
Order = Literal["oldest", "newest"]
"""The instants that come first."""


class BackfillView(View, frozen=True):
    """A backfill, and how far it is."""

    id: str
    schedule: str | None
    from_at: Moment = msgspec.field(name="from")
    to_at: Moment = msgspec.field(name="until")
    order: Order
    reprocess: Reprocess
    parallel: int | None = msgspec.field(name="concurrency")
    """The most runs at once; None if the overlap policy of its schedule decides."""
    state: Literal["active", "done", "cancelled", "error"]
    note: str | None
    total: int
    """Instants in its range; an estimate beyond ten thousand."""
    seen: int
    started: int
    succeeded: int
    failed: int
    live: int
    created_at: Moment
    ended_at: Moment | None
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""

    @property
    def newest_first(self) -> bool:
        """Whether it goes from the end of its range to the start."""
        return self.order == "newest"


class BackfillInstant(View, frozen=True):
    """The effect of a backfill on one instant."""

    instant: Moment = msgspec.field(name="at")
    starts: bool
    state: str | None
    """The state of the run that the instant has already."""


class BackfillStart(View, frozen=True):
    """The backfill that was begun; of a dry run, what one would do."""

    dry_run: bool
    backfill: BackfillView | None = None
    planned: tuple[BackfillInstant, ...] = ()
    """The first hundred instants of a dry run."""
    instants: int = 0
    """The number of instants in the range of a dry run."""


class BackfillStopped(View, frozen=True):
    """A backfill that makes no more runs."""

    id: str
    state: Literal["cancelled"] = "cancelled"
