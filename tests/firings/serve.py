"""A worker process on a clock that others move: `python -m tests.firings.serve CLOCK SEAT`.

All of its services are those of any worker; its scheduler tells when it is at a look.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rota.engine.jobs.definitions import define
from rota.engine.schedules.fire import FireResult
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.notices import subscribe
from rota.rules.jobs.signature import Signature
from rota.runtime.attempts.attempt import ResolvedJob
from rota.runtime.chores import scheduler
from rota.runtime.lifeline import Lifeline
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.store_source import StoreSource
from rota.runtime.supervisor import Incarnation, serve_worker
from rota.runtime.worker import Worker
from rota.store.base import Store, Tx
from rota.store.open import open_store
from tests.crash.serve import print_notice
from tests.firings.clock import SharedClock

HOUR_MS = 3_600_000
SPEC = JobSpec(name="noop", target=PythonTarget(ref="tests.firings.serve:noop"))
# A lease as long as all jumps together: who is dead is seen by its process, not by the clock.
OPTIONS = WorkerOptions(lease_ms=HOUR_MS, heartbeat_ms=500, poll_ms=300, slots=4, drain_ms=5_000)


def noop() -> None:
    """What each start carries out."""


def define_noop(store: Store) -> None:
    store.write(lambda tx: define(tx, SPEC, namespace="default"))


def main(clock_path: str, seat: str) -> int:
    subscribe(print_notice)
    clock = SharedClock(Path(clock_path))
    _mark_looks(clock, int(seat))
    store = open_store(os.environ["ROTA_URL"], clock=clock)
    work = ResolvedJob(spec=SPEC, handler=noop, signature=Signature.of(noop))
    scope = WorkerScope(
        namespace="default", queues=("default",), jobs=("noop",), find_work=lambda _: work
    )
    worker = Worker(StoreSource(store, scope, options=OPTIONS, version="0"), OPTIONS)
    code = serve_worker(worker, Incarnation(new_id(), (), Lifeline()))
    store.close()
    return code


def _mark_looks(clock: SharedClock, seat: int) -> None:
    class Marked(scheduler.Scheduler):
        """Says when it is between the first statement of a look and its commit."""

        def tick(self) -> bool:
            try:
                return super().tick()
            finally:
                clock.mark(seat, is_busy=False)

        def _look(self, tx: Tx) -> FireResult:
            clock.mark(seat, is_busy=True)
            return super()._look(tx)

    scheduler.Scheduler = Marked  # type: ignore[misc]  # workers make theirs by this name


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
