"""Watches which stored jobs this worker can carry out now."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rota.clock import elapsed_s
from rota.engine.jobs.definitions import stored_jobs
from rota.engine.wakeup_keys import jobs_key
from rota.rules.jobs.claim_facts import claim_facts
from rota.runtime.options import WorkerScope
from rota.runtime.service import Service
from rota.store.base import Store

LEAST_S = 0.25
"""The least time between two looks: on SQLite every commit of another process wakes everything."""


class StoredJobWatcher(Service):
    """Looks when jobs have changed, and now and then."""

    interval_s = 30.0

    def __init__(
        self, store: Store, scope: WorkerScope, *, learned: Callable[[WorkerScope], None]
    ) -> None:
        super().__init__()
        self.hears = jobs_key(scope.namespace)
        self._store = store
        self._own = scope
        self._told = scope
        self._learned = learned
        self._rests_until_s = 0.0
        self._is_asked = False

    def tick(self) -> bool:
        self._is_asked = elapsed_s() < self._rests_until_s
        if self._is_asked:
            return False
        self._rests_until_s = elapsed_s() + LEAST_S
        scope = self._scope()
        if scope != self._told:
            self._learned(scope)
            self._told = scope
        return False

    def pause_s(self) -> float:
        rest_s = self._rests_until_s - elapsed_s()
        return max(0.0, rest_s) if self._is_asked else super().pause_s()

    def _scope(self) -> WorkerScope:
        own = self._own
        stored = self._store.read(lambda tx: stored_jobs(tx, namespace=own.namespace))
        queues = {spec.queue for spec in stored.values()} if own.all_queues else set()
        return msgspec.structs.replace(
            own,
            jobs=tuple(sorted({*own.jobs, *stored})),
            facts=own.facts | {name: claim_facts(spec) for name, spec in stored.items()},
            queues=(*own.queues, *sorted(queues - set(own.queues))),
        )
