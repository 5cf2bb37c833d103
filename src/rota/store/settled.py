"""Writes whose commit may end unseen: repeated until their outcome is known.

A connection that breaks during a commit leaves its caller without an answer (CommitUnknown). The
work is then sent again, and has to find by its own ids or keys what it did the first time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from rota.clock import elapsed_s
from rota.errors import CommitUnknown, StoreLost, StoreUnavailable

T = TypeVar("T")
PATIENCE_S = 15.0
"""How long to find out the outcome of a commit, where the caller sets no limit."""


def settled_write(attempt: Callable[[bool], T], *, patience_s: float = PATIENCE_S) -> T:
    """Call `attempt(is_repeat)` until the outcome of its commit is known.

    Raises StoreUnavailable at once if the store is away before anything was sent, and CommitUnknown
    if the outcome is still unknown after `patience_s`.
    """
    try:
        return attempt(False)  # noqa: FBT003  # as the others of its kind are called
    except CommitUnknown as error:
        end_s = elapsed_s() + patience_s
        return until_settled(attempt, gives_up=lambda: elapsed_s() > end_s, unknown=error)


def until_settled(
    attempt: Callable[[bool], T],
    *,
    gives_up: Callable[[], bool],
    rides_out: bool = False,
    repeats: bool = True,
    unknown: CommitUnknown | None = None,
) -> T:
    """Call `attempt(is_repeat)` until its commit's outcome is known or `gives_up` returns True.

    With `rides_out`, an outage before the first answer is waited out, too. Pass `repeats=False` for
    work that would do harm if it was made twice: CommitUnknown is then raised at once. `unknown` is
    how an attempt before this call ended.
    """
    last: StoreUnavailable
    while True:
        try:
            return attempt(unknown is not None)
        except StoreLost as error:
            raise (unknown or error) from error
        except CommitUnknown as error:
            if not repeats:
                raise
            unknown = last = error
        except StoreUnavailable as error:
            if unknown is None and not rides_out:
                raise
            last = error
        if gives_up():
            raise (unknown or last) from last
        time.sleep(random.uniform(0.05, 0.5))
