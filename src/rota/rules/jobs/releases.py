"""Releases: whether starting code is older than a declaration that was made before.

The first start of a declaration gives it a number. Code is older if its declaration has a successor
with different content. Apps without a name are told apart by the jobs that they share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rota.model.jobs.release import Declaration


class ReleaseContent(NamedTuple):
    """The content of a release: versions by job, and its schedules as plain data."""

    number: int
    jobs: dict[str, int]
    schedules: dict[str, Any]


def digest_of(declaration: Declaration) -> str:
    """Return a digest that all processes of the same code share, in any order of declaration."""
    text = msgspec.json.encode(declaration, order="sorted")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def successor(
    own: ReleaseContent, later: Sequence[ReleaseContent], *, is_named: bool
) -> int | None:
    """Return the number of the release that replaced this one; None if it is still current.

    `later` are the releases of the same app with higher numbers, the newest first. For an app
    without a name they are those of all apps without a name.
    """
    if is_named:
        newest = later[0] if later else own
        is_same = (newest.jobs, newest.schedules) == (own.jobs, own.schedules)
        return None if is_same else newest.number
    open_jobs = set(own.jobs)
    for each in later:
        shared = open_jobs & each.jobs.keys()
        if any(_of_job(own, job) != _of_job(each, job) for job in shared):
            return each.number
        open_jobs -= shared
    return None


def _of_job(release: ReleaseContent, job: str) -> tuple[int, dict[str, Any]]:
    schedules = {name: each for name, each in release.schedules.items() if each["job"] == job}
    return release.jobs[job], schedules
