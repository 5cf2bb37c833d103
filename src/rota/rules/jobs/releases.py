"""Releases: whether code that starts is older than what was declared before.

The first start of a declaration gives it a number. Code whose declaration has a successor that
says something else is older code. Apps without a name are told apart by the jobs they share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rota.model.release import Declaration


class Said(NamedTuple):
    """What a release says: versions by job, and its schedules as plain data."""

    number: int
    jobs: dict[str, int]
    schedules: dict[str, Any]


def digest_of(said: Declaration) -> str:
    """The same for all processes of the same code, in whatever order it declares."""
    text = msgspec.json.encode(said, order="sorted")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def successor(own: Said, later: Sequence[Said], *, is_named: bool) -> int | None:
    """The number of the release that replaced this one; None if this one still holds.

    `later` are those of the same app with higher numbers, the newest first; of apps without a
    name those of all such apps.
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


def _of_job(said: Said, job: str) -> tuple[int, dict[str, Any]]:
    schedules = {name: each for name, each in said.schedules.items() if each["job"] == job}
    return said.jobs[job], schedules
