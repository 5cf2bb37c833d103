"""A worker without threads: its courier and its chores, turned by the test, one round at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from rota.clock import elapsed_s
from rota.engine.jobs.definitions import pinned_to
from rota.errors import UnknownJob
from rota.model.runs.run import Lease
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.runtime.attempts.attempt import Attempt, Ending, ResolvedJob, Returned
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.chores.alerts import AlertSender
from rota.runtime.chores.breakers import BreakerProber
from rota.runtime.chores.dependencies import DependencyReleaser
from rota.runtime.chores.lifecycle import Expirer, Promoter, Reaper
from rota.runtime.chores.scheduler import Scheduler
from rota.runtime.dispatch.courier import Courier
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.dispatch.store_exchange import StoreExchange
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.service import Service
from rota.store.base import Store
from tests.contract.builders import HOME, LEASE_MS, Clock

SOON_MS = 1_500
"""Longer than the interval of any chore."""


class HandCalls:
    """Calls that end when they begin, with what the test says their handler gives."""

    def __init__(self, gives: Callable[[Lease], str]) -> None:
        self.endings: deque[tuple[Attempt, Ending]] = deque()
        self._gives = gives
        self._held: dict[str, Attempt] = {}
        self.waits = False
        """Whether they end only when they are told to."""

    def end_all(self) -> None:
        self.waits = False
        for call in self._held.values():
            self.endings.append((call, Returned(self._gives(call.lease))))

    def __len__(self) -> int:
        return len(self._held)

    def open(self, lease: Lease, work: ResolvedJob) -> None:
        call = Attempt(lease, work, None)
        self._held[lease.run_id] = call
        if not self.waits:
            self.endings.append((call, Returned(self._gives(lease))))

    def forget(self, call: Attempt) -> None:
        self._held.pop(call.lease.run_id, None)


class Crew:
    """All that moves runs on."""

    def __init__(
        self,
        store: Store,
        worker_id: str,
        *,
        jobs: Sequence[str],
        graphs: Sequence[str] = (),
        gives: Callable[[Lease], str] = lambda _: "null",
        facts: Mapping[str, ClaimFacts] | None = None,
        **scope: Any,
    ) -> None:
        self._store = store
        self._jobs: set[str] = set()
        self._graphs: set[str] = set()
        self._facts = dict(facts or {})
        self._scope: dict[str, Any] = {"namespace": HOME, "queues": ("default",), **scope}
        self.calls = HandCalls(gives)
        self._runs = StoreExchange(store, self._scope_for(jobs, graphs))
        self._runs.worker_id = worker_id
        self.courier = Courier(
            self._runs,
            cast("AttemptTable", self.calls),
            options=WorkerOptions(slots=50),
            reserve=Prefetch(most=0, hold_s=0.05, now_s=elapsed_s()),
        )
        self.courier.claim_on(claiming=True)
        self.chores: list[Service] = [
            Promoter(store),
            Reaper(store, lease_ms=LEASE_MS),
            Expirer(store),
            Scheduler(store),
            DependencyReleaser(store),
            BreakerProber(store),
            AlertSender(store, WorkerOptions()),
        ]

    def serve(self, jobs: Sequence[str], graphs: Sequence[str]) -> None:
        """These as well."""
        self._runs.claims.serve(self._scope_for(jobs, graphs))
        self.courier.look()

    def _scope_for(self, jobs: Sequence[str], graphs: Sequence[str]) -> WorkerScope:
        self._graphs |= set(graphs)
        self._graphs -= set(jobs)
        self._jobs |= {*jobs, *graphs}
        return WorkerScope(
            jobs=tuple(sorted(self._jobs)),
            facts=self._facts | dict.fromkeys(self._graphs, ClaimFacts(is_graph=True)),
            find_work=self._find_work,
            **self._scope,
        )

    def turn(self, clock: Clock, *, rounds: int = 4) -> None:
        """So many rounds of everybody; nobody may fail in any of them."""
        for _ in range(rounds):
            clock.advance(SOON_MS)
            for service in (*self.chores, self.courier):
                self.tick(service)

    def tick(self, service: Service) -> None:
        if service is self.courier:
            self.courier.look()
        for _ in range(100):
            try:
                more = service.tick()
            except Exception as error:
                raise AssertionError(f"{service.name} failed: {error!r}") from error
            if not more:
                return
        raise AssertionError(f"{service.name} never comes to rest")

    def _find_work(self, lease: Lease) -> ResolvedJob:
        pinned = self._store.read(
            lambda tx: pinned_to(tx, lease.job, lease.version, namespace=HOME)
        )
        if pinned is None:
            raise UnknownJob(lease.job)
        return ResolvedJob(spec=pinned.spec)
