"""An outage of the store as one event: reported once when it begins and once when it is over."""

from __future__ import annotations

from threading import Lock

from rota.clock import elapsed_s
from rota.errors import StoreLost
from rota.notices import emit


class Outage:
    """An outage, shared by the services of a worker, which all notice it one after the other."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._without: set[str] = set()
        self._since_s = 0.0
        self.fatal: StoreLost | None = None
        """The error that no waiting mends."""

    def begin(self, service: str, error: str) -> None:
        """Note that a service cannot reach the store."""
        with self._lock:
            is_first = not self._without
            self._without.add(service)
            if is_first:
                self._since_s = elapsed_s()
        if is_first:
            emit("store.unavailable", service=service, error=error)

    def lose(self, error: StoreLost) -> None:
        """Note that this process has lost the store; reported once, and no outage after it."""
        with self._lock:
            is_first = self.fatal is None
            self.fatal = error
        if is_first:
            emit("store.lost", error=str(error))

    def end(self, service: str) -> None:
        """Note that a service has reached the store; costs nothing while there is no outage."""
        if not self._without or self.fatal is not None:
            return
        with self._lock:
            was_away = service in self._without
            self._without.discard(service)
            is_over = was_away and not self._without
        if is_over:
            emit("store.recovered", away_s=round(elapsed_s() - self._since_s, 1))
