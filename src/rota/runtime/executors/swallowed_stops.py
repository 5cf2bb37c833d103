"""A stop that a finaliser swallowed is sent again.

A handler is stopped by an exception between any two instructions of its thread. Those may be of
a `__del__`, of a callback of the garbage collector or of a weak reference: Python drops what is
raised there and tells `sys.unraisablehook`. Without us the handler would go on as if nobody had
asked. Who sends such exceptions to a thread says here how to send one again.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from rota.errors import Cancelled, TimedOut

RESEND_AFTER_S = 0.01
"""The finaliser should be over by then; if it is not, the stop is swallowed and sent once more."""

_here = threading.local()


def resend_with(resend: Callable[[], None]) -> None:
    """Call it, from another thread, whenever a stop of this thread was swallowed."""
    _here.resend = resend
    if not isinstance(sys.unraisablehook, _Hook):
        sys.unraisablehook = _Hook(sys.unraisablehook)


class _Hook:
    """Takes swallowed stops of threads that registered; the rest goes to the hook before it."""

    def __init__(self, before: Callable[[sys.UnraisableHookArgs], object]) -> None:
        self._before = before

    def __call__(self, unraisable: sys.UnraisableHookArgs, /) -> None:
        resend: Callable[[], None] | None = getattr(_here, "resend", None)
        if resend is None or unraisable.exc_type not in (Cancelled, TimedOut):
            self._before(unraisable)
            return
        # Sent from here it would be raised here, and swallowed again.
        timer = threading.Timer(RESEND_AFTER_S, resend)
        timer.daemon = True
        timer.start()
