"""Pins: the job version that a node of a graph runs with.

A submit pins a run to a version of its graph, and to the versions of the jobs that were current
with it at that moment. If another version of the graph had become current by then, the pinned job
versions are those of the last moment before that change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Reign(NamedTuple):
    """The moment from which a version was the current one of its job."""

    version: int
    since: int


def bound_of(graph: Sequence[Reign], version: int, *, as_of: int) -> int:
    """Return the moment from which changes do not affect a run submitted at `as_of`."""
    before = [at for at, reign in enumerate(graph) if reign.since <= as_of]
    own = [at for at in before if graph[at].version == version]
    if not own or own[-1] == before[-1]:
        return as_of + 1
    return graph[own[-1] + 1].since


def version_before(job: Sequence[Reign], bound: int) -> int:
    """Return the version that was current just before the bound; for a later job, its first."""
    past = [reign.version for reign in job if reign.since < bound]
    return past[-1] if past else job[0].version
