"""Pins: which version of a job the node of a graph is carried out with.

A run is pinned to a version of its graph when it is submitted, and with it to the versions of the
jobs that were current beside it: those of that moment, or, when another version of the graph had
become the current one by then, those of the last moment before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Reign(NamedTuple):
    """From when on a version was the current one of its job."""

    version: int
    since: int


def bound_of(graph: Sequence[Reign], version: int, *, as_of: int) -> int:
    """Changes from this moment on are not for a run of this version, submitted at `as_of`."""
    before = [at for at, reign in enumerate(graph) if reign.since <= as_of]
    own = [at for at in before if graph[at].version == version]
    if not own or own[-1] == before[-1]:
        return as_of + 1
    return graph[own[-1] + 1].since


def version_before(job: Sequence[Reign], bound: int) -> int:
    """The version that was current just before the bound; of a job that came later its first."""
    past = [reign.version for reign in job if reign.since < bound]
    return past[-1] if past else job[0].version
