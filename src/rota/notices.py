"""Notices: what happened in this process, told to whoever subscribed.

Business code emits; logging, metrics and live views listen. A listener that
raises is dropped with a log line and never hurts the work it watches.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

Listener = Callable[[str, dict[str, Any]], None]

_log = logging.getLogger("rota")
_listeners: list[Listener] = []


def emit(name: str, **facts: Any) -> None:
    """Tell all listeners; costs one list check when nobody listens."""
    for listener in tuple(_listeners):
        try:
            listener(name, facts)
        except Exception:  # noqa: BLE001  # a listener is foreign code; the work it watches must go on
            unsubscribe(listener)
            _log.exception("a notice listener failed and was removed")


def subscribe(listener: Listener) -> None:
    """Call `listener(name, facts)` for each notice from now on."""
    _listeners.append(listener)


def unsubscribe(listener: Listener) -> None:
    """Stop calling the listener; unknown ones are ignored."""
    if listener in _listeners:
        _listeners.remove(listener)
