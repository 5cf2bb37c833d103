"""Release: all declarations of an app's code, as one thing with a number."""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.jobs.bundle import BundledSchedule
from rota.model.jobs.spec import JobSpec
from rota.model.view import View


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """The declarations of a process that starts."""

    app: str | None = None
    """The name of the app, if it has one: then definitions it no longer declares are removed."""
    label: str | None = None
    """The label of the deploy; the same code under another label is another release."""
    jobs: dict[str, JobSpec] = {}
    schedules: dict[str, BundledSchedule] = {}


class Release(View, frozen=True):
    """All that the code of an app declared at one deploy; of one app the highest number counts."""

    number: int
    app: str | None
    label: str | None
    """The name that the deploy gave itself."""
    jobs: dict[str, int]
    """The versions of its jobs."""
    schedules: tuple[str, ...]
    seen_at: Moment
    """When it was first declared."""
    used_at: Moment
    """When it got its number: then, or when a person went back to it."""
    used_by: str
    holds: bool = False
    """Whether no later release says something else about its jobs."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
