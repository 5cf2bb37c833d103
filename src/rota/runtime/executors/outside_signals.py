"""Signals from outside: those that end a worker or a machine reach its child processes first.

A deploy sends TERM to all processes of a service at once, and kills those that are left a while
later. A child that dies of it has done nothing wrong, and neither has its run.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from rota.clock import elapsed_s

SENT = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL})
"""Signals that others send; a process that breaks down dies of a different one."""
WAIT_S = 0.3
"""The longest time by which a worker learns of its own end later than its children."""

Leaving = Callable[[], bool]


def came_with_our_end(number: int | None, is_leaving: Leaving) -> bool:
    """Whether a child that died of this signal did so because its worker ends as well.

    A worker that is killed outright does not live to see this answered.
    """
    if number not in SENT:
        return False
    end_s = elapsed_s() + WAIT_S
    while not is_leaving():
        if elapsed_s() > end_s:
            return False
        time.sleep(0.01)
    return True
