"""The range of a backfill: which instants, in which order, and how many at most."""

from __future__ import annotations

import msgspec

from rota.engine.schedules.compiled import CompiledSchedule
from rota.errors import BadOption
from rota.model.schedules.backfill import Reprocess
from rota.rules.schedules.misfire import count

MOST = 10_000
"""The most firings in one backfill, unless a larger number is confirmed."""
LIMIT = 1_000_000
MAX_PARALLEL = 1_000
KEEPS = 0
"""The stored value of a backfill without a limit of its own: the overlap policy applies."""


class BackfillRange(msgspec.Struct, frozen=True, kw_only=True):
    """Instants from one (included) to another (excluded), and how to run them."""

    from_at: int
    to_at: int
    reprocess: Reprocess = "missing"
    newest_first: bool = False
    parallel: int | None = None
    """The most runs of this backfill at once, whatever else runs; None to use the overlap policy
    of the schedule, like its other runs."""
    args: str | None = None
    """Arguments to use instead of the schedule's, as JSON text."""


def total_of(plan: CompiledSchedule, span: BackfillRange, to_at: int, most: int) -> int:
    """The number of firings before `to_at`; BadOption for none, and for more than `most`."""
    if plan.follows_end:
        raise BadOption("backfill: every with from_end counts from runs and has no past instants")
    if plan.event is not None:
        raise BadOption("backfill: what an event starts has no past instants; send the event again")
    if span.from_at >= to_at:
        raise BadOption("backfill: the range is empty; it begins before it ends, and before now")
    if span.parallel is not None and not 1 <= span.parallel <= MAX_PARALLEL:
        raise BadOption(f"parallel={span.parallel} is not a number from 1 to {MAX_PARALLEL:,}")
    if not 1 <= most <= LIMIT:
        raise BadOption(f"most={most} is not a number from 1 to {LIMIT:,}")
    total = count(plan.table, span.from_at - 1, to_at - 1, exactly=MOST)
    if total == 0:
        raise BadOption("backfill: the schedule has no instant in this range")
    if total > most:
        raise BadOption(
            f"backfill: the range has about {total:,} firings, more than {most:,}; "
            "narrow it, or allow more with `most` (--most on the command line)"
        )
    return total
