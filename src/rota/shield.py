"""Shields delay a stop that is raised in a thread until the thread has left the store.

A handler is stopped by an exception between any two instructions of its thread. In the middle of a
commit, or of taking a connection from a pool, the exception would harm everyone who shares the
store: an open transaction locks them all out. Code that raises such exceptions registers here how
to hold them back, and a store does so around each transaction.
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
    """Register the shield that holds back stops of this thread."""
    _here.shield = shield


def shielded(function: Callable[P, T]) -> Callable[P, T]:
    """Hold back stops during the function; free of cost in a thread that nobody stops."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        shield: Shield | None = getattr(_here, "shield", None)
        if shield is None:
            return function(*args, **kwargs)
        with shield():
            return function(*args, **kwargs)

    return call
