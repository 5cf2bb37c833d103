"""The roster: which jobs that only the store defines this worker can carry out now."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rota.engine.expand import is_graph
from rota.engine.jobs import stored_jobs
from rota.engine.keys import jobs_key
from rota.runtime.options import Duty
from rota.runtime.service import Service
from rota.store.base import Store


class Roster(Service):
    """Looks when it is told that jobs have changed, and now and then by itself."""

    interval_s = 30.0

    def __init__(self, store: Store, duty: Duty, *, learned: Callable[[Duty], None]) -> None:
        super().__init__()
        self.hears = jobs_key(duty.namespace)
        self._store = store
        self._own = duty
        self._told = duty
        self._learned = learned

    def tick(self) -> bool:
        duty = self._duty()
        if duty != self._told:
            self._learned(duty)
            self._told = duty
        return False

    def _duty(self) -> Duty:
        own = self._own
        stored = self._store.read(lambda tx: stored_jobs(tx, namespace=own.namespace))
        queues = {spec.queue for spec in stored.values()} if own.all_queues else set()
        return msgspec.structs.replace(
            own,
            jobs=tuple(sorted({*own.jobs, *stored})),
            graphs=tuple(
                sorted({*own.graphs, *(name for name in stored if is_graph(stored[name]))})
            ),
            queues=(*own.queues, *sorted(queues - set(own.queues))),
        )
