"""Sends the probes of circuit breakers when due, and makes changes that no transaction saw."""

from __future__ import annotations

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.failures.breakers.probe import due_breakers, send_probes
from rota.errors import StoreUnavailable
from rota.runtime.service import Service
from rota.store.base import Store


class BreakerProber(Service):
    """Looks once a second, and when the next probe is due; writes only if something is due."""

    interval_s = 1.0

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._next_in_s: float | None = None

    def tick(self) -> bool:
        due = self._store.read(due_breakers)
        for place in due.places:
            try:
                self._store.write(lambda tx, place=place: send_probes(tx, place))  # type: ignore[misc]
            except StoreUnavailable:
                raise
            except Exception as error:  # noqa: BLE001  # the breakers of other jobs go on
                set_aside(f"the breaker of job {place.job}", error)
        self._next_in_s = None if due.next_in_ms is None else due.next_in_ms / 1000
        return False

    def pause_s(self) -> float:
        pause_s = super().pause_s()
        return pause_s if self._next_in_s is None else min(pause_s, self._next_in_s)
