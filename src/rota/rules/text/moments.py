"""Times as people write them: instants, wall times, dates and times of day."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from rota.errors import BadOption
from rota.model.schedules.definitions import Fold, Gap
from rota.rules.schedules.zones import LAST_YEAR, Zone, local_ms
from rota.rules.schedules.zones import zone as find_zone

FIRST_YEAR = 1900
EARLIEST = datetime(FIRST_YEAR, 1, 1)  # noqa: DTZ001 - a wall time has no zone
LATEST = datetime(LAST_YEAR, 12, 31, 23, 59, 59, 999_000)  # noqa: DTZ001 - the same
EARLIEST_MS = local_ms(EARLIEST)
LATEST_MS = local_ms(LATEST)
"""Nothing fires later: clock shifts are unknown then, and nobody plans that far ahead."""

TICK = timedelta(milliseconds=1)
_MAX_CHARS = 64
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")


def read_moment(field: str, text: object) -> datetime:
    """Return a datetime, aware if the text has an offset; BadOption names the field."""
    moment = _parse(text)
    if moment is None:
        raise BadOption(
            f"{field}={text!r:.70} is not a time; write 2026-03-08T07:00:00Z, with an offset, "
            "or 2026-03-08T07:00 for a wall time of the schedule's zone"
        )
    if not FIRST_YEAR < moment.year <= LAST_YEAR:
        raise BadOption(f"{field}={text!r:.70} is not in the years {FIRST_YEAR + 1} to {LAST_YEAR}")
    return moment


def _parse(text: object) -> datetime | None:
    if not isinstance(text, str) or len(text) > _MAX_CHARS:
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def read_wall(field: str, text: object) -> datetime:
    """Return a wall time to the millisecond; an offset is refused, as the schedule has a zone."""
    wall = read_moment(field, text)
    if wall.tzinfo is not None:
        raise BadOption(
            f"{field}={text!r:.70} has an offset; write the wall time without it, "
            "and name the zone in the schedule"
        )
    return wall.replace(microsecond=wall.microsecond // 1_000 * 1_000)


def read_instants(field: str, text: str, *, zone: Zone, gap: Gap, fold: Fold) -> tuple[int, ...]:
    """Return the instant of a text with an offset; for a wall time none, one or two, by policy."""
    moment = read_moment(field, text)
    if moment.tzinfo is not None:
        return (local_ms(moment.astimezone(UTC)),)
    return resolve(moment, zone=zone, gap=gap, fold=fold)


def read_bound(field: str, text: str, zone: Zone) -> int:
    """Return one instant for any text: the first of two in a fold, the first after a gap."""
    return read_instants(field, text, zone=zone, gap="next", fold="first")[0]


def read_date(field: str, text: str) -> date:
    """Read a date such as `2026-12-25`."""
    try:
        return date.fromisoformat(str(text)[:_MAX_CHARS])
    except ValueError as error:
        raise BadOption(f"{field}: {text!r:.70} is not a date such as 2026-12-25") from error


def read_time(field: str, text: object) -> time:
    """Read a time of day such as `06:00` or `18:30:15`."""
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise BadOption(f'{field}={text!r:.70} is not a time of day; write "18:00", in quotes')
    return time(int(match[1]), int(match[2]), int(match[3] or 0))


def resolve(wall: datetime, *, zone: Zone, gap: Gap, fold: Fold) -> tuple[int, ...]:
    """Return the instants of a wall time: usually one; in a gap or a fold as the policy says."""
    instants = zone.instants(wall)
    if len(instants) == 1:
        return instants
    if instants:
        return {"second": instants[-1:], "both": instants}.get(fold, instants[:1])
    if gap == "skip":
        return ()
    return (zone.same(wall) if gap == "same" else zone.gap_end(wall),)


def day_start(day: date, zone: Zone) -> int:
    """Return the first instant of a day, even of one that the zone left out."""
    return zone.gap_end(midnight(day))


def day_end(day: date, zone: Zone) -> int:
    """Return the last instant of a day; before its start if the zone left the day out."""
    following = midnight(day + timedelta(days=1))
    return (zone.instants(following) or (zone.gap_end(following),))[-1] - 1


def midnight(day: date) -> datetime:
    """Return the wall time at which a day begins."""
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 - a wall time has no zone


def long_date(day: date) -> str:
    """Return a date for people, such as `25 December 2026`."""
    return f"{day.day} {day:%B} {day.year}"


def short_time(wall: datetime | time) -> str:
    """Return a time of day for people: `06:00`, with seconds only if there are any."""
    return f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"


def gap_mark(missing: datetime, beside: datetime) -> str:
    """Return the note of a preview on a firing whose wall time was skipped."""
    return f"moved from {_shown(missing, beside)}, which does not exist"


def fold_mark(wall: datetime, *, is_first: bool) -> str:
    """Return the note of a preview on a wall time that comes twice."""
    return f"{short_time(wall)} comes twice; this is the {'first' if is_first else 'second'}"


def _shown(wall: datetime, beside: datetime) -> str:
    clock = short_time(wall)
    return clock if wall.date() == beside.date() else f"{wall.date().isoformat()} {clock}"


def wall_text(at: int, zone_name: str) -> str:
    """Return `2026-03-08T03:00:00-04:00`; milliseconds only where there are any."""
    where = find_zone(zone_name)
    wall = where.wall(at).isoformat(timespec="milliseconds").removesuffix(".000")
    minutes, seconds = divmod(abs(where.offset(at)) // 1_000, 60)
    sign = "-" if where.offset(at) < 0 else "+"
    # Before zones were made by railways, offsets had seconds.
    odd = f":{seconds:02}" if seconds else ""
    return f"{wall}{sign}{minutes // 60:02}:{minutes % 60:02}{odd}"
