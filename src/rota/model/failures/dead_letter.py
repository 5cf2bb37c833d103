"""Dead letters as people see them: runs that failed for good, alone or grouped by cause."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

LetterState = Literal["open", "redriven", "discarded"]


class LetterGroup(View, frozen=True):
    """Letters of the same job and cause; the newest speaks for all."""

    fingerprint: str = msgspec.field(name="group")
    """The fingerprint of the cause, which names the group."""
    job: str
    error_type: str
    message: str
    reason: str | None
    open: int
    """Letters that wait for somebody."""
    total: int
    first_at: Moment
    last_at: Moment
    versions: tuple[int, ...]
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class LetterView(View, frozen=True):
    """A run that failed for good, and what was done about it."""

    run_id: str = msgspec.field(name="executionId")
    job: str
    version: int
    fingerprint: str = msgspec.field(name="group")
    error_type: str
    message: str
    reason: str | None
    died_at: Moment
    state: LetterState
    acted_at: Moment | None = None
    acted_by: str | None = None
    rerun_id: str | None = None
    """The run it was redriven as."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class Redriven(View, frozen=True):
    """A letter and the run it became."""

    run_id: str = msgspec.field(name="executionId")
    rerun_id: str
    is_new: bool
    """False if somebody had redriven it before."""


class RedrivenMany(View, frozen=True):
    """The letters that this call redrove; call again with the cursor while there is one."""

    items: list[Redriven]
    left: int
    """Open letters of the group that did not fit into one request."""
    next: str | None = None


class Discarded(View, frozen=True):
    """The number of letters that were closed; ask again while some are left."""

    discarded: int
    left: int = 0
