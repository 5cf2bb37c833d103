"""Releases runs whose dependencies have succeeded; looks when woken, and now and then."""

from __future__ import annotations

import random
from functools import partial

from rota.clock import elapsed_s
from rota.engine.admission.clear_dependents import clear_waiting, is_anybody_waiting
from rota.engine.failures.batch_isolation import write_apart
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.engine.wakeup_keys import AWAITED
from rota.runtime.service import Service
from rota.store.base import Store, Tx

PAGE = 200
THOROUGH_S = 30.0
"""How often to check also the dependencies that seem to be cleared."""


class DependencyReleaser(Service):
    """Releases dependent runs; any number of processes may look at once, as the rows are locked."""

    interval_s = 1.0
    hears = AWAITED

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._compiled = CompiledSchedules(rules_version(), random.random)
        self._thorough_s = elapsed_s() + THOROUGH_S

    def tick(self) -> bool:
        is_thorough = elapsed_s() >= self._thorough_s
        if not is_thorough and not self._store.read(is_anybody_waiting):
            return False
        if is_thorough:
            self._thorough_s = elapsed_s() + THOROUGH_S
        after: str | None = None
        while not self._stopping:
            page = partial(self._page, after=after)
            after = write_apart(self._store.write, page, who=self.name)
            if after is None:
                break
        return False

    def _page(self, tx: Tx, after: str | None) -> str | None:
        return clear_waiting(tx, compiled=self._compiled, limit=PAGE, after=after)
