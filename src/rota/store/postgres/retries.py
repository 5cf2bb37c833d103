"""Transactions that the server refused for reasons that pass are tried again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from rota.store.postgres.errors import RETRIED

T = TypeVar("T")

TRIES = 5


def retried(transact: Callable[[], T]) -> T:
    """Return what the transaction returns, at the first or a later try."""
    try:
        return transact()
    except RETRIED:
        return once_more(transact)


def once_more(transact: Callable[[], T]) -> T:
    """Try again after a first try that the server refused for reasons that pass."""
    for tries in range(1, TRIES):
        time.sleep(random.uniform(0.001, 0.02) * tries)
        try:
            return transact()
        except RETRIED:
            if tries == TRIES - 1:
                raise
    raise AssertionError("unreachable")
