"""What a worker gives each of its executors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rota.model.walls import Egress, Programs
from rota.runtime.attempts.attempt import Done, Started
from rota.runtime.attempts.context import ProgressSink


class ExecutorParts(NamedTuple):
    """An executor takes those that it has a use for."""

    slots: int
    started: Started
    done: Done
    done_at_rest: Done
    """As `done`, called by a slot that has no next call: it may wait for the store."""
    progress: ProgressSink
    grace_s: float
    """After a body was asked to stop: how long until what can be killed is killed."""
    is_leaving: Callable[[], bool]
    """Whether the worker ends: what dies now was probably told to."""
    programs: Programs
    egress: Egress
