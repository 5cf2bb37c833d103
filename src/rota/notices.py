"""Notices: events in this process, sent to subscribers.

Business code emits; logging, metrics and live views listen. A listener that raises is dropped with
a log line and never hurts the work it watches.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import Any

from rota.clock import elapsed_s

Listener = Callable[[str, dict[str, Any]], None]

RARELY_S = 60.0
MOST_KEYS = 1_000

_log = logging.getLogger("rota")
_listeners: list[Listener] = []
_lock = Lock()
_told: dict[tuple[str, str], tuple[float, int]] = {}
"""When each notice was last emitted, by name and subject, and how often it was held back since."""


def emit(name: str, **facts: Any) -> None:
    """Call all listeners; costs one list check when there are none."""
    for listener in tuple(_listeners):
        try:
            listener(name, facts)
        except Exception:  # noqa: BLE001  # a listener is foreign code; the work it watches must go on
            unsubscribe(listener)
            _log.exception("a notice listener failed and was removed")


def emit_rarely(name: str, subject: str, **facts: Any) -> None:
    """Emit at most once a minute per subject; the next notice has the count in `times`."""
    now_s = elapsed_s()
    with _lock:
        last_s, unsaid = _told.get((name, subject), (None, 0))
        if last_s is not None and now_s - last_s < RARELY_S:
            _told[name, subject] = last_s, unsaid + 1
            return
        _told.pop((name, subject), None)
        while len(_told) >= MOST_KEYS:
            del _told[next(iter(_told))]
        _told[name, subject] = now_s, 0
    emit(name, **facts, **({"times": unsaid + 1} if unsaid else {}))


def tell_again(name: str, subject: str) -> None:
    """Forget a notice that is over, so that the next one is emitted at once."""
    with _lock:
        _told.pop((name, subject), None)


def subscribe(listener: Listener) -> None:
    """Call `listener(name, facts)` for each notice from now on."""
    _listeners.append(listener)


def unsubscribe(listener: Listener) -> None:
    """Stop calling the listener; unknown ones are ignored."""
    if listener in _listeners:
        _listeners.remove(listener)
