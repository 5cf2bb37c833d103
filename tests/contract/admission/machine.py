"""Random histories in which everything that may hold a run back is active, alone and together.

At the end of each history all that is not held ends, `why` tells what holds the rest, and when the
holds are lifted the rest ends, too.
"""

from __future__ import annotations

import tempfile
from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rota.engine.admission import queues
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.admission.windows import put_blackout, remove_blackout
from rota.engine.failures.breakers.control import close_breaker, held_jobs, open_breaker
from rota.engine.graphs import control
from rota.engine.identity.namespaces import put_namespace
from rota.engine.insight.why import why
from rota.engine.runs.lists import runs
from rota.engine.runs.promote import promote
from rota.model.identity.credentials import Quotas
from rota.model.jobs.spec import Breaker
from rota.model.runs.run import Lease, RunView
from rota.model.schedules.definitions import Blackout
from rota.model.states import FINAL, State
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.admission.builders import ClaimingWorker, clear, ended, given_graph
from tests.contract.builders import HOME, START_MS, Clock, finish_all, given_run
from tests.contract.failures.breaker_builders import tend_all
from tests.contract.graphs.builders import JOB, graph, node
from tests.contract.schedules.builders import DAY, every, fire_some, given_job, put
from tests.support.emptying import empty
from tests.support.places import quick_folder

ALL = 10_000
GRAPHS = ("flow", "ordered")
JOBS = ("plain", "shaky", "mail", "first", "second", "nightly", JOB, *GRAPHS)
SUBMITTED = st.sampled_from(["plain", "shaky", "mail", "first", "second", *GRAPHS])
WINDOWED = st.sampled_from(["plain", JOB, None])
HELD_KINDS = {hold.reason for hold in HOLDS}


class HeldBack(RuleBasedStateMachine):
    """Jobs, graphs and a schedule, each with something that may hold its runs back."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock(START_MS // DAY * DAY)
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        address = self.url
        if not self.url:
            self.folder = tempfile.TemporaryDirectory(dir=quick_folder())
            address = f"sqlite:///{self.folder.name}/rota.db"
        else:
            empty(self.url)
        self.store: Store = open_store(address, clock=self.clock)
        self.leases: list[Lease] = []
        self.versions = dict.fromkeys(JOBS, 1)
        self.quota: int | None = None
        self.window: tuple[str | None] | None = None

    @initialize(first=st.lists(SUBMITTED, min_size=3, max_size=8))
    def define(self, first: list[str]) -> None:
        rule = Breaker(share=0.5, least=2, window="1m", cool="30s", cool_cap="2m")
        given_job(self.store, name="shaky", breaker=rule)
        given_job(self.store, name="mail", queue="mail")
        given_job(self.store, name="second", dependencies=("first",))
        for name in ("plain", "first", "nightly", JOB):
            given_job(self.store, name=name)
        flow = graph([node("a"), node("b", "a")], max_runs=1)
        past = graph([node("a")], name="ordered", depends_on_past=True)
        for each in (flow, past):
            self.versions[each.name] = given_graph(self.store, each)
        put(self.store, every("1m", overlap="queue_all"), job="nightly")
        for job in first:
            self.submit(job)

    def teardown(self) -> None:
        try:
            self.all_that_is_not_held_ends()
            self.the_rest_ends_when_nothing_holds_it()
        finally:
            self.store.close()
            if self.folder is not None:
                self.folder.cleanup()

    @rule(job=SUBMITTED)
    def submit(self, job: str) -> None:
        queue = "mail" if job == "mail" else "default"
        given_run(self.store, job=job, version=self.versions[job], queue=queue)

    @rule(limit=st.integers(1, 5), knows_limits=st.booleans())
    def claim(self, limit: int, *, knows_limits: bool) -> None:
        before = self.count(State.RUNNING)
        held = self.store.read(lambda tx: held_jobs(tx, namespace=HOME))

        leases = self.worker(knows_limits=knows_limits).claim(limit)

        self.leases += leases
        assert all(held.get(each.job, each.run_id) == each.run_id for each in leases)
        assert "mail" not in self.paused() or not any(each.job == "mail" for each in leases)
        assert not any(self.is_shut(each.job) for each in leases)
        assert len(leases) <= limit
        if self.quota is not None:
            assert self.count(State.RUNNING) <= max(before, self.quota)

    @precondition(lambda self: self.leases)
    @rule(at=st.integers(0, 9), verb=st.sampled_from(["succeed", "succeed", "fail", "release"]))
    def finish(self, at: int, verb: str) -> None:
        lease = self.leases.pop(at % len(self.leases))
        assert finish_all(self.store, [ended(lease, verb)]) == []

    @rule(ms=st.sampled_from([1_000, 31_000, 61_000]))
    def time_passes(self, ms: int) -> None:
        self.clock.advance(ms)
        fire_some(self.store)

    @rule()
    def chores(self) -> None:
        self.store.write(lambda tx: promote(tx, limit=ALL))
        clear(self.store)
        tend_all(self.store)
        fire_some(self.store)

    @rule(pauses=st.booleans())
    def pause_queue(self, *, pauses: bool) -> None:
        if pauses:
            self.store.write(lambda tx: queues.pause(tx, "mail", namespace=HOME))
        elif self.paused():
            self.store.write(lambda tx: queues.resume(tx, "mail", namespace=HOME))

    @rule(opens=st.booleans())
    def turn_breaker(self, *, opens: bool) -> None:
        turn = open_breaker if opens else close_breaker
        self.store.write(lambda tx: turn(tx, "shaky", namespace=HOME))

    @rule(job=WINDOWED)
    def begin_window(self, job: str | None) -> None:
        window = Blackout(kind="drain", start="2020-01-01T00:00Z", end="2099-01-01T00:00Z", job=job)
        self.store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))
        self.window = (job,)

    @rule()
    def end_window(self) -> None:
        self.store.write(lambda tx: remove_blackout(tx, "w", namespace=HOME))
        self.window = None

    @rule(most=st.sampled_from([1, 2, 3, None]))
    def set_quota(self, most: int | None) -> None:
        self.store.write(lambda tx: put_namespace(tx, HOME, Quotas(running=most)))
        self.quota = most

    @precondition(lambda self: self.count(State.SUSPENDED))
    @rule(pauses=st.booleans())
    def pause_graphs(self, *, pauses: bool) -> None:
        turn = control.pause if pauses else control.resume
        for run in self.found(State.SUSPENDED):
            self.store.write(lambda tx, run=run: turn(tx, run.id, namespace=HOME))  # type: ignore[misc]

    @invariant()
    def no_limit_is_broken(self) -> None:
        live = Counter(run.job for run in self.found(State.SUSPENDED))
        waits = (State.PENDING, *FINAL)
        nightly = [run for run in self.found() if run.job == "nightly" and run.state not in waits]
        assert live["flow"] <= 1, "max_runs"
        assert live["ordered"] <= 1, "depends_on_past"
        assert len(nightly) <= 1, "overlap"

    def all_that_is_not_held_ends(self) -> None:
        self.work_until_nothing_moves()

        for run in self.found():
            if run.state in FINAL or run.state is State.SUSPENDED:
                continue
            reasons = self.store.read(lambda tx, run=run: why(tx, run.id, namespace=HOME))  # type: ignore[misc]
            assert run.job in self.may_be_held(), (run.job, run.state, reasons)
            assert reasons[0].kind in HELD_KINDS, (run.job, run.state, reasons)

    def the_rest_ends_when_nothing_holds_it(self) -> None:
        self.end_window()
        self.set_quota(None)
        self.pause_queue(pauses=False)
        self.turn_breaker(opens=False)
        self.pause_graphs(pauses=False)

        self.work_until_nothing_moves()

        assert {run.state for run in self.found()} <= FINAL

    def work_until_nothing_moves(self) -> None:
        """Whatever was claimed ends well, and all chores are done, until nothing is left to do."""
        is_quiet = 0
        worker = self.worker(knows_limits=True)
        while is_quiet < 2:
            self.chores()
            self.leases += worker.claim()
            is_quiet = 0 if self.leases else is_quiet + 1
            finish_all(self.store, [ended(lease) for lease in self.leases])
            self.leases = []

    def may_be_held(self) -> set[str]:
        """The jobs whose runs may have to wait, by what was switched on."""
        held = {job for job in JOBS if self.is_shut(job)}
        held |= {"mail"} if self.paused() else set()
        held |= {"shaky"} if self.store.read(lambda tx: held_jobs(tx, namespace=HOME)) else set()
        if self.found(State.SUSPENDED):
            held |= {JOB, *GRAPHS}
        return held

    def worker(self, *, knows_limits: bool) -> ClaimingWorker:
        """A worker that is alive; one of older code does not know that a graph has a limit."""
        facts = {
            "second": ClaimFacts(is_dependent=True),
            "flow": ClaimFacts(is_graph=True, max_runs=1 if knows_limits else None),
            "ordered": ClaimFacts(is_graph=True),
        }
        return ClaimingWorker(self.store, *JOBS, queues=("default", "mail"), facts=facts)

    def is_shut(self, job: str) -> bool:
        return self.window is not None and self.window[0] in (None, job)

    def paused(self) -> set[str]:
        found = self.store.read(lambda tx: queues.queues(tx, namespace=HOME))
        return {each.name for each in found if each.is_paused}

    def count(self, state: State) -> int:
        return len(self.found(state))

    def found(self, *states: State) -> list[RunView]:
        known = self.store.read(lambda tx: runs(tx, namespace=HOME, limit=ALL))
        return [run for run in known if not states or run.state in states]
