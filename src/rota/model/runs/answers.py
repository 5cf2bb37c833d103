"""Short answers to requests that submit, stop or repeat runs."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.model.states import State
from rota.model.view import View


class RunState(View, frozen=True, kw_only=True):
    """The state of a run now."""

    run_id: str = msgspec.field(name="executionId")
    status: State


class SubmittedRun(View, frozen=True, kw_only=True):
    """The run that holds the work now."""

    run_id: str = msgspec.field(name="executionId")
    status: Literal["queued", "scheduled", "refused"]
    """refused: the key belongs to this run, which has other arguments."""
    is_new: bool


class SubmittedRuns(View, frozen=True, kw_only=True):
    """One answer for each run, in order."""

    runs: list[SubmittedRun]


class BulkDone(View, frozen=True, kw_only=True):
    """The number of runs that a request was about."""

    matched: int
    """Up to 10,000; there may be `more`."""
    done: int
    """The others had ended before, had not ended, or are not there."""
    more: bool
    """Send the request again for the rest."""
    dry_run: bool
