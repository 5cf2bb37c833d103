"""Shields: a stop that is raised in a thread waits until that thread is out of the store.

A handler is stopped by an exception between any two instructions of its thread. In the middle of a
commit, or of taking a connection from a pool, it would harm all who share the store: a transaction
left open locks everybody out. Who sends such exceptions to a thread says here how to hold them
back; a store does so around each transaction.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Shield = Callable[[], AbstractContextManager[None]]

_here = threading.local()


def shield_with(shield: Shield) -> None:
    """From now on, stops of this thread are held back by it."""
    _here.shield = shield


def shielded(function: Callable[P, T]) -> Callable[P, T]:
    """Costs nothing worth measuring in a thread that nobody stops."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        shield: Shield | None = getattr(_here, "shield", None)
        if shield is None:
            return function(*args, **kwargs)
        with shield():
            return function(*args, **kwargs)

    return call
