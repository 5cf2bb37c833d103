"""Lanes keep runs that cannot start out of the way of other runs in their queue.

A claim reads a queue in the order of ranks. Without lanes, each claim would read past a million
runs at the head that a worker cannot start, because it does not know their job or the job is held
back. Such runs are moved behind all others. Each job has a lane: a stretch of ranks in the index.

A rank is a time in milliseconds, less than 2**44 for the next five centuries. A run in lane `n` has
`n * 2**44` added to its rank, so runs keep their order within the lane.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

SPAN = 1 << 44
"""The number of ranks in a lane."""
LANES = 1 << 18
"""The number of lanes for jobs; jobs whose names have the same hash share one."""


Lanes = Mapping[str, Mapping[int, Sequence[str]]]
"""The lanes that a worker reads, by queue; each lane lists the jobs that the worker may start."""
NO_LANES: Lanes = MappingProxyType({})


class RankRange(NamedTuple):
    """A half-open range of ranks, from `start` to just below `end`."""

    start: int
    end: int


FRONT = RankRange(-(1 << 62), SPAN)
"""The range of ranks in which every run begins to wait."""


def lane_of(job: str) -> int:
    """Return the lane number for runs of a job; every process computes the same number."""
    return 1 + crc32(job.encode("utf-8", "surrogatepass")) % LANES


def fit_lane_of(job: str, takes: str) -> int:
    """Return the lane number for runs of a job that need a function with the arguments `takes`.

    The number is greater than those of all job lanes, so the two kinds cannot be confused.
    """
    text = f"{takes} {job}"
    return LANES + 1 + crc32(text.encode("utf-8", "surrogatepass")) % (LANES - 2)


def is_fit_lane(lane: int) -> bool:
    """Whether runs in this lane wait for a function that takes their arguments."""
    return lane > LANES


def stretch_of(lane: int) -> RankRange:
    """Return the range of ranks of a lane."""
    return RankRange(lane * SPAN, (lane + 1) * SPAN)


def rank_in_order(rank: int) -> int:
    """Return the rank that a run had before its lane; it orders runs of different lanes."""
    return rank % SPAN if rank >= SPAN else rank


def jobs_in(lanes: Collection[int], jobs: Iterable[str]) -> dict[int, list[str]]:
    """Group the jobs that have one of these lanes by lane."""
    found: dict[int, list[str]] = {}
    for job in jobs if lanes else ():
        lane = lane_of(job)
        if lane in lanes:
            found.setdefault(lane, []).append(job)
    return found
