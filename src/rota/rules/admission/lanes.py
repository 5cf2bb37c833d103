"""Lanes: where runs wait that would stand in the way of others of their queue.

A claim reads a queue in the order of ranks. A million runs at its head that a worker cannot start,
because it does not know their job or the job is held back, would be read at each claim. So they
are moved behind all others, each job into a lane of its own: a stretch of ranks in the same index.

A rank is a time in milliseconds, less than 2**44 for the next five centuries. A run in lane `n`
has `n * 2**44` added to its rank: the order within the lane is the order it had.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

SPAN = 1 << 44
"""How many ranks a lane has."""
LANES = 1 << 18
"""How many lanes there are for jobs; jobs whose names have the same hash share one."""


Lanes = Mapping[str, Mapping[int, Sequence[str]]]
"""By queue, the lanes that a worker looks into, each with the jobs it may start from there."""
NO_LANES: Lanes = MappingProxyType({})


class RankRange(NamedTuple):
    """Ranks from `start` on, and less than `end`."""

    start: int
    end: int


FRONT = RankRange(-(1 << 62), SPAN)
"""Where every run begins to wait."""


def lane_of(job: str) -> int:
    """The number of the lane for runs of a job, the same in every process."""
    return 1 + crc32(job.encode("utf-8", "surrogatepass")) % LANES


def fit_lane_of(job: str, takes: str) -> int:
    """The number of the lane for runs of a job that wait for a function that takes this.

    Greater than those of all jobs, so that nobody takes one for the other.
    """
    text = f"{takes} {job}"
    return LANES + 1 + crc32(text.encode("utf-8", "surrogatepass")) % (LANES - 2)


def is_fit_lane(lane: int) -> bool:
    """Whether runs wait there for a function that takes their arguments."""
    return lane > LANES


def stretch_of(lane: int) -> RankRange:
    """The ranks of a lane."""
    return RankRange(lane * SPAN, (lane + 1) * SPAN)


def rank_in_order(rank: int) -> int:
    """The rank that decides between runs of different lanes: the one a run had in front."""
    return rank % SPAN if rank >= SPAN else rank


def jobs_in(lanes: Collection[int], jobs: Iterable[str]) -> dict[int, list[str]]:
    """Of these jobs, those that have a lane among these, by lane."""
    found: dict[int, list[str]] = {}
    for job in jobs if lanes else ():
        lane = lane_of(job)
        if lane in lanes:
            found.setdefault(lane, []).append(job)
    return found
