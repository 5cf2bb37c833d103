"""Random histories of a store, compared with the plain model after every step.

The clock also steps back, workers die and come back, the store is closed and opened again.
"""

from __future__ import annotations

import tempfile
from shutil import copy
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from rota.engine.runs import find as inspect
from rota.engine.runs import lists as run_lists
from rota.engine.runs.cancel import cancel
from rota.engine.runs.expire import expire
from rota.engine.runs.promote import promote
from rota.engine.runs.rerun import rerun
from rota.engine.workers.heartbeat import HeldLease, heartbeat
from rota.engine.workers.reap import reap
from rota.errors import NotAllowed
from rota.ids import new_id
from rota.model.runs.run import FinishVerb, Lease
from rota.model.states import FINAL, State
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    attempts_of,
    claim_some,
    finish_all,
    finish_with,
    given_worker,
    new_run,
    submit_all,
)
from tests.contract.failures.dead_letter_builders import each_failure_left_one_letter
from tests.contract.runs.machine_asks import ASKS, DELAY_MS, QUEUES, VERBS, as_verdict
from tests.contract.runs.model import Model, ModelRun, frozen, observed
from tests.support.emptying import empty
from tests.support.places import quick_folder

ALL = 1_000


class Life(RuleBasedStateMachine):
    """One namespace, two queues, some workers; every rule is one verb."""

    url = ""
    template = ""
    """The file of a migrated store, to be copied where there is no address."""
    runs = Bundle("runs")
    leases = Bundle("leases")
    workers = Bundle("workers")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.model = Model()
        self.ended: dict[str, ModelRun] = {}
        self.given: list[Lease] = []
        self.stopped: set[str] = set()
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        if not self.url:
            self.folder = tempfile.TemporaryDirectory(dir=quick_folder())
            self.address = f"sqlite:///{copy(self.template, self.folder.name)}"
        else:
            empty(self.url)
            self.address = self.url
        self.store: Store = open_store(self.address, clock=self.clock)

    def teardown(self) -> None:
        try:
            self.everything_can_still_end()
            self.attempts_are_as_told()
            each_failure_left_one_letter(self.store, self.model)
        finally:
            self.store.close()
            if self.folder is not None:
                self.folder.cleanup()

    @initialize(target=workers)
    def start_first_workers(self) -> object:
        return multiple(self.start_worker_now(), self.start_worker_now())

    @precondition(lambda self: len(self.model.workers) < 4)
    @rule(target=workers)
    def start_worker(self) -> str:
        return self.start_worker_now()

    def start_worker_now(self) -> str:
        worker = given_worker(self.store)
        self.model.workers[worker] = self.clock.ms + LEASE_MS
        return worker

    @initialize(target=runs, asks=st.lists(ASKS, min_size=3, max_size=6))
    def submit_first(self, asks: list[dict[str, Any]]) -> object:
        return self.submit_now(asks)

    @rule(target=runs, asks=st.lists(ASKS, min_size=1, max_size=4))
    def submit(self, asks: list[dict[str, Any]]) -> object:
        return self.submit_now(asks)

    def submit_now(self, asks: list[dict[str, Any]]) -> object:
        runs = [new_run(key_window_ms=10_000, **each) for each in asks]

        answers = submit_all(self.store, runs)

        assert [(answer.id, answer.is_new, answer.refused) for answer in answers] == [
            self.model.submit(run, self.clock.ms) for run in runs
        ]
        return multiple(*dict.fromkeys(answer.id for answer in answers))

    @precondition(lambda self: self.has(State.QUEUED))
    @rule(
        target=leases,
        worker=workers,
        queues=st.permutations(QUEUES),
        limit=st.integers(1, 4),
    )
    def claim(self, worker: str, queues: list[str], limit: int) -> object:
        leases = claim_some(self.store, worker, queues=queues, limit=limit)

        expected = self.model.claim(worker, queues, limit, self.clock.ms)
        assert [(lease.run_id, lease.fence, lease.attempt) for lease in leases] == [
            (run.id, run.fence, run.attempt) for run in expected
        ]
        assert not self.stopped & {lease.run_id for lease in leases}, "S15: a cancelled run started"
        self.given += leases
        return multiple(*leases)

    @rule(lease=leases, verb=VERBS)
    def finish_any(self, lease: Lease, verb: FinishVerb) -> None:
        """With whatever lease there ever was, most of them stale."""
        self.finish([(lease, verb)])

    @precondition(lambda self: self.held())
    @rule(picks=st.lists(st.tuples(st.integers(0, 9), VERBS), min_size=1, max_size=4))
    def finish_held(self, picks: list[tuple[int, FinishVerb]]) -> None:
        held = self.held()
        chosen = {held[n % len(held)].run_id: (held[n % len(held)], verb) for n, verb in picks}
        self.finish(list(chosen.values()))

    def has(self, *states: State) -> bool:
        return any(run.state in states for run in self.model.runs.values())

    def held(self) -> list[Lease]:
        return [lease for lease in self.given if self.model.holds(lease)]

    def finish(self, verdicts: list[tuple[Lease, FinishVerb]]) -> None:
        # As the retry rule decides for runs that may start only once.
        asked = [
            (lease, "fail" if lease.at_most_once and verb == "retry" else verb)
            for lease, verb in verdicts
        ]

        lost = finish_all(self.store, [as_verdict(lease, verb) for lease, verb in asked])

        late = [
            lease.run_id
            for lease, verb in asked
            if not self.model.finish(lease, verb, DELAY_MS, self.clock.ms)
        ]
        assert sorted(lost) == sorted(late)

    @precondition(lambda self: self.given)
    @rule(worker=workers, leases=st.lists(leases, max_size=3, unique_by=lambda each: each.run_id))
    def beat(self, worker: str, leases: list[Lease]) -> None:
        held = [HeldLease(lease.run_id, lease.fence) for lease in leases]

        pulse = self.store.write(lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held))

        assert pulse.is_known == (worker in self.model.workers)
        if pulse.is_known:
            self.model.workers[worker] = self.clock.ms + LEASE_MS
        mine = [lease for lease in leases if pulse.is_known and self.model.holds(lease)]
        kept = {lease.run_id for lease in mine}
        assert set(pulse.lost) == {lease.run_id for lease in leases} - kept
        assert set(pulse.cancelled) == {i for i in kept if self.model.runs[i].cancel_requested}

    @precondition(lambda self: self.model.runs)
    @rule(reaps=st.booleans(), promotes=st.booleans(), expires=st.booleans())
    def chores(self, *, reaps: bool, promotes: bool, expires: bool) -> None:
        if reaps:
            self.reap()
        if promotes:
            self.promote()
        if expires:
            self.expire()

    def reap(self) -> None:
        reaped = self.store.write(lambda tx: reap(tx, limit=ALL))

        assert reaped == self.model.reap(self.clock.ms)

    @precondition(lambda self: self.has(State.RUNNING))
    @rule(worker=workers)
    def reap_dead_worker(self, worker: str) -> None:
        reaped = self.store.write(lambda tx: reap(tx, limit=ALL, worker_id=worker))

        assert reaped == self.model.reap(self.clock.ms, worker)

    @rule(run=runs)
    def cancel(self, run: str) -> None:
        try:
            answer: State | None = self.store.write(lambda tx: cancel(tx, run, namespace=HOME))
        except NotAllowed:
            answer = None

        assert answer == self.model.cancel(run, self.clock.ms)
        if answer is not None:
            self.stopped.add(run)

    def promote(self) -> None:
        promoted = self.store.write(lambda tx: promote(tx, limit=ALL))

        assert promoted.count == self.model.promote(self.clock.ms)
        assert promoted.next_in_ms == self.model.next_in_ms(self.clock.ms)

    def expire(self) -> None:
        expired = self.store.write(lambda tx: expire(tx, limit=ALL))

        assert expired == self.model.expire(self.clock.ms)

    @precondition(lambda self: self.has(*FINAL))
    @rule(target=runs, run=runs)
    def rerun(self, run: str) -> object:
        fresh = new_id()
        try:
            self.store.write(lambda tx: rerun(tx, run, namespace=HOME, new_id=fresh, who="ann"))
            done = True
        except NotAllowed:
            done = False

        assert done == self.model.copy_for_rerun(run, fresh, self.clock.ms)
        return fresh if done else multiple()

    @precondition(lambda self: self.model.runs)
    @rule(ms=st.sampled_from([1, 49, 100, 5_000, LEASE_MS, 60_000, -1, -60]))
    def clock_moves(self, ms: int) -> None:
        self.clock.advance(ms)

    @precondition(lambda self: self.model.runs)
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.address, clock=self.clock)

    @invariant()
    def the_store_shows_what_the_model_says(self) -> None:
        found = self.store.read(lambda tx: run_lists.runs(tx, namespace=HOME, limit=ALL))
        counts = self.store.read(lambda tx: inspect.counts(tx, namespace=HOME))

        shown = {run.id: observed(run) for run in found}
        assert shown == {run.id: run.seen() for run in self.model.runs.values()}
        states = [run.state for run in self.model.runs.values()]
        assert counts == {state: states.count(state) for state in set(states)}

    @invariant()
    def an_ended_run_stays_as_it_ended(self) -> None:
        for run in self.model.runs.values():
            if run.state in FINAL:
                assert self.ended.setdefault(run.id, frozen(run)) == run, "S1: a second end"

    @invariant()
    def budgets_hold(self) -> None:
        for run in self.model.runs.values():
            assert run.attempt <= 1 or not run.at_most_once, "S16: started twice"

    def attempts_are_as_told(self) -> None:
        for run in self.model.runs.values():
            told = attempts_of(self.store, run.id)
            assert [(each.number, each.kind) for each in told] == run.attempts
            numbers = [number for number, _ in run.attempts]
            assert numbers == list(range(1, len(numbers) + 1)), "S6: a gap, or one number twice"

    def everything_can_still_end(self) -> None:
        """S18: whatever happened, time and the usual chores bring every run to its end."""
        for _ in range(2):
            self.clock.advance(3_600_000)
            self.reap()
            self.promote()
            self.expire()
            worker = self.start_worker_now()
            for lease in claim_some(self.store, worker, queues=QUEUES, limit=ALL):
                assert finish_with(self.store, lease, result="1") == []
            for run in self.model.claim(worker, QUEUES, ALL, self.clock.ms):
                run.state = State.SUCCESS

        assert set(self.store.read(lambda tx: inspect.counts(tx, namespace=HOME))) <= FINAL
