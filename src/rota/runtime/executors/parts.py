"""The parts that a worker gives each of its executors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rota.model.workers.sandbox import Egress, Programs
from rota.runtime.attempts.attempt import Done, Started
from rota.runtime.attempts.context import ProgressSink


class ExecutorParts(NamedTuple):
    """The parts of a worker; each executor takes those that it uses."""

    slots: int
    started: Started
    done: Done
    done_at_rest: Done
    """Like `done`, but called by a slot that has no next attempt: it may wait for the store."""
    progress: ProgressSink
    grace_s: float
    """How long after a body was asked to stop until it is killed, where it can be."""
    is_leaving: Callable[[], bool]
    """Whether the worker ends: what dies now was probably signalled too."""
    programs: Programs
    egress: Egress
