"""The timeline of a run: when it, or each of its nodes, waited and ran."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

Part = Literal["queued", "running", "failed"]
"""The activity of a run in a span; failed: an attempt that did not succeed."""


class TimelineSpan(View, frozen=True):
    """A part of the time of a run."""

    part: Part
    """failed: an attempt that did not succeed."""
    start_at: Moment
    end_at: Moment


class TimelineTrack(View, frozen=True):
    """One node over time; it has no stretches if it never had a run."""

    name: str
    state: str
    attempts: int = 0
    instances: int | None = None
    """The number of runs that a mapped node takes together."""
    stretches: tuple[TimelineSpan, ...] = ()


class Timeline(View, frozen=True):
    """A run and what it is made of; a run that is no graph is made of itself."""

    run_id: str = msgspec.field(name="executionId")
    start_at: Moment
    end_at: Moment
    """Now, for a run that goes on."""
    tracks: tuple[TimelineTrack, ...]
