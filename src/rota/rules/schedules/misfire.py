"""Misfire: which instants of a schedule start now, after any time without a scheduler.

The search never walks through all instants: a schedule of every second that slept for a year costs
as much as one that slept for an hour.
"""

from __future__ import annotations

import msgspec

from rota.model.schedules.definitions import Catchup, JitterKind
from rota.rules.schedules.jitter import fixed_jitter, hash_jitter, random_jitter
from rota.rules.schedules.timetable import Timetable

COUNTED = 1_000
"""Missed firings are counted one by one up to this number, and estimated beyond."""
FAR_MS = 10 * 366 * 86_400_000
"""How far back to search for the firing before; rarer schedules have none."""


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """The policy of a schedule for late firings, in milliseconds."""

    grace_ms: int = 60_000
    catchup: Catchup = "last"
    limit: int = 100
    window_ms: int = 86_400_000
    start_within_ms: int | None = None
    end_at: int | None = None
    """The instant after which nothing is caught up."""
    jitter_ms: int = 0
    jitter_kind: JitterKind = "hash"


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions on all instants from the cursor until now."""

    starts: tuple[int, ...] = ()
    """Instants to start, oldest first."""
    missed: int = 0
    """The number of instants that are never started; an estimate beyond a thousand."""
    cursor: int
    """The instant up to which everything is handled."""
    last: int | None = None
    """The newest instant that is handled; None when none was due."""
    next: int | None = None
    """The first instant later than the cursor."""
    has_more: bool = False
    """Whether more instants are due now than one look may start."""


def due(  # noqa: PLR0913  # what is known of a schedule, all named
    table: Timetable,
    *,
    cursor: int,
    now: int,
    rule: Lateness,
    seed: str = "",
    late_until: int = 0,
    most: int = 1_000,
    first: int | None = None,
) -> Due:
    """Sort the instants in (cursor, now] into those to start and those that are missed.

    All instants within the grace period start. Of the older ones none, the last, or the newest
    `limit` within the window start, by the schedule's choice; the last only if nothing newer
    starts. Instants up to `late_until` are late however fresh, because the schedule was paused
    then. A caller that knows the first instant after the cursor may pass it as `first`.
    """
    if first is None:
        first = table.after(cursor)
    if first is None or first > now:
        return Due(cursor=cursor, next=first)
    after = table.after(first)
    if after is None or after > now:
        newest, before = first, cursor
    else:
        newest = newest_since(table, cursor, now, 1)[0]
        before = None
        after = table.after(newest)
    if ripe_at(table, newest, rule=rule, seed=seed) > now:
        # Only the newest can be unripe: jitter never reaches the next firing.
        if newest == first:
            return Due(cursor=cursor, next=newest)
        now, after = newest - 1, newest
        newest = newest_since(table, cursor, now, 1)[0]
    if before is not None:
        return _one(newest, after=after, now=now, rule=rule, late_until=late_until)
    return _several(table, cursor, now, rule=rule, late_until=late_until, most=most)


def _one(instant: int, *, after: int | None, now: int, rule: Lateness, late_until: int) -> Due:
    is_late = instant <= max(now - rule.grace_ms, late_until)
    is_missed = _is_too_late(instant, now, rule) or (
        is_late
        and (rule.catchup == "none" or _has_ended(now, rule) or not _in_window(instant, now, rule))
    )
    return Due(
        starts=() if is_missed else (instant,),
        missed=int(is_missed),
        cursor=instant,
        last=instant,
        next=after,
    )


def _several(
    table: Timetable, cursor: int, now: int, *, rule: Lateness, late_until: int, most: int
) -> Due:
    fresh_from = max(cursor, now - rule.grace_ms, late_until)
    if rule.start_within_ms is not None:
        fresh_from = max(fresh_from, now - rule.start_within_ms)
    fresh = first_since(table, fresh_from, now, most)
    late = _late(table, cursor, min(fresh_from, now), now, rule=rule, has_fresh=bool(fresh))
    starts = (*late, *fresh)[:most]
    newest = newest_since(table, cursor, now, 1)[0]
    last = newest if not starts else starts[-1]
    # A look that is full goes on where it stopped; nothing after its last start is lost.
    has_more = len(starts) == most and last < newest
    if not has_more:
        last = newest
    return Due(
        starts=starts,
        missed=max(0, count(table, cursor, last) - len(starts)),
        cursor=last,
        last=last,
        next=table.after(last),
        has_more=has_more,
    )


def _late(  # the range, the rule, and what else starts
    table: Timetable, cursor: int, until: int, now: int, *, rule: Lateness, has_fresh: bool
) -> tuple[int, ...]:
    if rule.catchup == "none" or _has_ended(now, rule) or until <= cursor:
        return ()
    if rule.catchup == "last":
        if has_fresh:
            return ()
        last = newest_since(table, cursor, until, 1)
        return tuple(at for at in last if not _is_too_late(at, now, rule))
    since = max(cursor, now - rule.window_ms)
    if rule.start_within_ms is not None:
        since = max(since, now - rule.start_within_ms)
    return newest_since(table, since, until, rule.limit) if since < until else ()


def _has_ended(now: int, rule: Lateness) -> bool:
    return rule.end_at is not None and now > rule.end_at


def _in_window(instant: int, now: int, rule: Lateness) -> bool:
    return rule.catchup != "all" or instant > now - rule.window_ms


def _is_too_late(instant: int, now: int, rule: Lateness) -> bool:
    return rule.start_within_ms is not None and instant + rule.start_within_ms <= now


def ripe_at(
    table: Timetable, instant: int, *, rule: Lateness, seed: str, random: float = 0.0
) -> int:
    """Return when to start an instant: later by its jitter, before the next firing.

    Random jitter is only for planning the next look; an instant that is due is ripe.
    """
    if not rule.jitter_ms:
        return instant
    following = table.after(instant)
    if rule.jitter_kind == "fixed":
        later = fixed_jitter(rule.jitter_ms, nominal=instant, following=following, seed=seed)
    elif rule.jitter_kind == "hash":
        later = hash_jitter(rule.jitter_ms, nominal=instant, following=following, seed=seed)
    else:
        later = random_jitter(rule.jitter_ms, nominal=instant, following=following, random=random)
    return instant + later


def first_since(table: Timetable, after: int, until: int, most: int) -> tuple[int, ...]:
    """Return the first `most` instants in (after, until], oldest first."""
    instants: list[int] = []
    at = table.after(after)
    while at is not None and at <= until and len(instants) < most:
        instants.append(at)
        at = table.after(at)
    return tuple(instants)


def newest_since(table: Timetable, after: int, until: int, limit: int) -> tuple[int, ...]:
    """Return the newest `limit` instants in (after, until], oldest first, by bisection."""
    instants = first_since(table, after, until, limit + 1)
    low, high = after, until
    while len(instants) > limit and high - low > 1:
        middle = (low + high) // 2
        part = first_since(table, middle, until, limit + 1)
        if len(part) > limit:
            low, instants = middle, part
        else:
            high = middle
            if len(part) == limit:
                return part
    return instants[:limit]


def before(table: Timetable, instant: int) -> int | None:
    """Return the firing before this one; None if there was none for ten years."""
    after = table.after(instant)
    reach = max(1, (after - instant) * 2) if after is not None else 86_400_000
    while True:
        newest = newest_since(table, instant - reach - 1, instant - 1, 1)
        if newest or reach > FAR_MS:
            return newest[0] if newest else None
        reach *= 16


def count(table: Timetable, after: int, until: int, *, exactly: int = COUNTED) -> int:
    """Return the number of instants in (after, until]; beyond `exactly` an estimate."""
    instants = first_since(table, after, until, exactly + 1)
    if len(instants) <= exactly:
        return len(instants)
    return max(
        exactly + 1, 1 + exactly * (until - instants[0]) // (instants[exactly] - instants[0])
    )
