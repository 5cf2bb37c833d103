"""Waits for a database that is away when a service starts; the wait is reported once."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rota.errors import StoreRefused, StoreUnavailable

if TYPE_CHECKING:
    from rota.app import App
    from rota.settings.table import Settings

REST_S = 1.0


def wait_for_store(app: App, settings: Settings, *, is_first: Callable[[], bool]) -> None:
    """Open the store of the app, however long that takes; with `--no-wait` try once.

    A store that answers and refuses the connection is not waited for.
    """
    while True:
        try:
            app.store  # noqa: B018  # opened by looking at it
        except StoreRefused:
            raise
        except StoreUnavailable as error:
            if settings.wait_for_store is False:
                raise
            if is_first():
                tell_away(error)
            time.sleep(REST_S * random.uniform(0.5, 1.0))
        else:
            return


def tell_away(error: StoreUnavailable) -> None:
    says = " ".join(str(error).split())
    print(
        f"rota: {says}; waiting until it is there (Ctrl-C ends; --no-wait does not wait)",
        file=sys.stderr,
        flush=True,
    )


class FirstTime:
    """A call that returns True the first time only."""

    def __init__(self) -> None:
        self._is_over = False

    def __call__(self) -> bool:
        was_over, self._is_over = self._is_over, True
        return not was_over
