"""Saved views: named filters of the list of runs, shared by a namespace."""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.states import State
from rota.model.view import View


class SavedFilter(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Which runs; what is left out does not matter."""

    status: State | None = None
    job: str | None = msgspec.field(default=None, name="jobId")
    queue: str | None = None
    schedule: str | None = None
    error: str | None = None
    """A part of the last error."""
    text: str | None = None
    """A part of the arguments, or of the key."""
    label: tuple[str, ...] = ()
    """Conditions such as `team=billing`, `amount>10` or `urgent`; all must hold."""
    arg: tuple[str, ...] = ()
    """Arguments such as `customer=acme`; all must match."""
    since: str | None = None
    """Asked for at this instant or later; a duration such as `2h` counts back from each look."""
    until: str | None = None
    """Asked for before this instant, or at least so long ago."""
    scheduled_since: str | None = None
    """For an instant of a schedule from this one on, or from so long ago on."""
    scheduled_until: str | None = None
    """For an instant of a schedule before this one."""
    steps: bool = True
    """False: without the runs of nodes."""


class SavedView(View, frozen=True, kw_only=True):
    """A named filter of the list of runs."""

    name: str
    filter: SavedFilter
    note: str
    changed_by: str
    changed_at: Moment
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
