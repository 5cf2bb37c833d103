"""Resends a stop that a finaliser swallowed.

A handler is stopped by an exception between any two instructions of its thread. Those may be of a
`__del__`, of a callback of the garbage collector or of a weak reference: Python drops what is
raised there and calls `sys.unraisablehook`. Without this hook the handler would run on as if
nothing had stopped it. An executor that stops its threads in this way registers how to send a stop
again.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from rota.errors import Cancelled, TimedOut

RESEND_AFTER_S = 0.01
"""The finaliser should be over by then; if it is not, the stop is swallowed and sent once more."""
Resend = Callable[[], None]
"""Sends one stop again; called from another thread."""

_here = threading.local()


def resend_with(prepare: Callable[[], Resend]) -> None:
    """Register how to repeat a stop of this thread.

    `prepare` is called in this thread when a stop was swallowed, so that it can note which attempt
    the stop was for: that attempt may be over when the stop is sent again.
    """
    _here.prepare = prepare
    if not isinstance(sys.unraisablehook, _Hook):
        sys.unraisablehook = _Hook(sys.unraisablehook)


class _Hook:
    """Handles swallowed stops of threads that registered; passes the rest to the previous hook."""

    def __init__(self, before: Callable[[sys.UnraisableHookArgs], object]) -> None:
        self._before = before

    def __call__(self, unraisable: sys.UnraisableHookArgs, /) -> None:
        prepare: Callable[[], Resend] | None = getattr(_here, "prepare", None)
        if prepare is None or unraisable.exc_type not in (Cancelled, TimedOut):
            self._before(unraisable)
            return
        # Sent from here it would be raised here, and swallowed again.
        timer = threading.Timer(RESEND_AFTER_S, prepare())
        timer.daemon = True
        timer.start()
