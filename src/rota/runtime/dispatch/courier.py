"""The courier: carries verdicts to the store and brings leases back, in one transaction.

It flushes at once when idle; while a flush is on its way the next batch gathers by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Lock, get_ident

from rota.clock import elapsed_s
from rota.engine.failures.batch_isolation import write_apart
from rota.engine.runs.finish import finish
from rota.errors import StoreUnavailable
from rota.model.run import Lease, Verdict
from rota.notices import emit
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.dispatch.claim_gate import ClosedSpans
from rota.runtime.dispatch.claims import Claims
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.dispatch.stall import Stall
from rota.runtime.dispatch.verdicts import unavailable, verdict_on
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.service import Service
from rota.store.base import JoinedWork, Store, Tx

BATCH = 1000
HOLD_S = 0.05
"""Runs are held ready for this long at the present pace, so that no slot waits for the store."""


class Courier(Service):
    """Moves runs between the store and the calls of one worker."""

    def __init__(
        self,
        store: Store,
        calls: AttemptTable,
        scope: WorkerScope,
        *,
        options: WorkerOptions,
        reserve: Prefetch,
    ) -> None:
        super().__init__()
        self.interval_s = options.poll_ms / 1000
        self._is_claiming = False
        self.turn = self._turn = Lock()
        self._store = store
        self._calls = calls
        self._options = options
        self._namespace = scope.namespace
        self._claims = Claims(scope)
        self._find_work = scope.find_work
        self._looks = True
        self._claims_in = 0
        """The thread that is in a transaction of ours that claims."""
        self._wake_count = 0
        """How often that one had been told whom to wake when we had claimed."""
        self._pending: list[tuple[Attempt | None, Verdict]] = []
        self.is_cut_off = False
        self._stall = Stall(store)
        self._reserve = reserve
        self.holds: Callable[[], None] = lambda: None
        """Told when more was claimed than there are free slots."""

    @property
    def worker_id(self) -> str:
        return self._claims.worker_id

    @worker_id.setter
    def worker_id(self, worker_id: str) -> None:
        self._claims.worker_id = worker_id

    def claim_on(self, *, claiming: bool) -> bool:
        """Begin or cease to claim, with no claim on its way on return; gives the old value."""
        with self._turn:
            was, self._is_claiming = self._is_claiming, claiming
        if claiming:
            self.look()
        return was

    def serve(self, scope: WorkerScope) -> None:
        """Claim from these queues and for these jobs from now on."""
        with self._turn:
            self._claims.serve(scope)
        self.look()

    def obey(self, closings: ClosedSpans) -> None:
        """Start nothing new in these windows, from now on; with no claim on its way on return."""
        with self._turn:
            self._claims.obey(closings)
        self.look()

    def look(self) -> None:
        """There may be something to claim."""
        if self._claims_in == get_ident():
            return  # our own transaction has brought it, and has claimed after that
        self._looks = True
        self.wake()

    def fetch(self) -> None:
        """As `look`, in a thread that may wait for the store."""
        self._looks = True
        self.carry()

    def carry(self) -> None:
        """As `wake`, in a thread that may wait for the store.

        Waking ours costs 0.1 to 0.2 ms of the 2 from submit to start, and of the 2 from one node
        of a graph to the next.
        """
        more = True
        if not self._failures and self._turn.acquire(blocking=False):
            try:
                more = self._turn_over()
            except Exception:  # noqa: BLE001, S110  # our own thread meets it again, and knows
                pass
            finally:
                self._turn.release()
        if more:
            self.wake()

    def pause_s(self) -> float:
        self._looks = True  # after the pause we look, woken or not
        return super().pause_s()

    def tick(self) -> bool:
        with self._turn:
            try:
                more = self._turn_over()
            except StoreUnavailable:
                raise
            except Exception as error:
                self._stall.met(self.worker_id, error)
                raise
            self._stall.over(self.worker_id)
            return more

    def join(self, tx: Tx, keys: Collection[str]) -> JoinedWork | None:
        """Claim for free slots inside a transaction that brings work for us.

        Holds our turn until that transaction has ended; stays off when we are busy anyway.
        """
        if not self._claims.concern(keys):
            return None
        if self._claims_in == get_ident():
            # Our own transaction, shared with others: what they brought after our claim it missed.
            self._looks = self._looks or tx.wake_count > self._wake_count
            return None
        if not self._turn.acquire(blocking=False):
            return None
        try:
            free = self._options.slots - len(self._calls)
            is_well = not self._failures and not self.is_cut_off
            if free > 0 and self._is_claiming and is_well:
                return _JoinedClaim(self, self._claims.claim(tx, free))
        except BaseException:
            self._turn.release()
            raise
        self._turn.release()
        return None

    def claimed_within(self, leases: list[Lease]) -> None:
        """A ride has ended; without leases it may have failed, so that we look ourselves."""
        try:
            self._open(leases)
            is_cut_short = self._claims.is_cut_short
        finally:
            self._turn.release()
        if is_cut_short:
            self.look()

    @property
    def is_empty(self) -> bool:
        """Whether all that ended has been told to the store."""
        return not self._pending and not self._calls.endings

    def _turn_over(self) -> bool:
        """Bring what has ended and take what there is; True when there is more of either."""
        self._gather()
        want, ahead = self._want()
        if self._pending or want:
            self._exchange(want, held=ahead > 0)
        return bool(self._calls.endings) or self._want()[0] > 0

    def _gather(self) -> None:
        endings = self._calls.endings
        while endings and len(self._pending) < BATCH:
            call, ending = endings.popleft()
            verdict = verdict_on(call, ending)
            if verdict is None:
                self._calls.forget(call)  # somebody else owns this run now
            else:
                self._pending.append((call, verdict))
                # The end of a node may release others, which the same transaction claims.
                self._looks = self._looks or verdict.parent_id is not None

    def _exchange(self, want: int, *, held: bool) -> None:
        verdicts = [verdict for _, verdict in self._pending]
        if want:
            # Cleared before: a wake-up by others during the transaction means looking again.
            self._looks = False
            self._claims_in = get_ident()
        try:
            lost, leases = self._traded(verdicts, want, held=held)
        except Exception:
            self._looks = True
            raise
        finally:
            self._claims_in = 0
        self._forget()
        if lost:
            emit("lease.lost", runs=lost, worker=self.worker_id)
        self._open(leases)
        if len(leases) >= want > 0 or self._claims.is_cut_short:
            self._looks = True

    def _traded(
        self, verdicts: list[Verdict], want: int, *, held: bool
    ) -> tuple[list[str], list[Lease]]:
        """At once; if that raises, each verdict and each lease by itself, the bad ones failing."""
        lone = not verdicts and self._claims.is_lone
        lost, leases = write_apart(
            lambda work: self._store.write(work, lone=lone),
            lambda tx: self._trade(tx, verdicts, want, lone=lone, held=held),
            who=self.name,
            again=self._store.write,
        )
        if lone and self._claims.are_to_complete(leases):
            leases = write_apart(
                self._store.write, lambda tx: self._claims.complete(tx, leases), who=self.name
            )
        return lost, leases

    def _trade(
        self, tx: Tx, verdicts: list[Verdict], want: int, *, lone: bool, held: bool
    ) -> tuple[list[str], list[Lease]]:
        lost = finish(tx, verdicts, namespace=self._namespace) if verdicts else []
        if not want:
            return lost, []
        take = self._claims.take if lone else self._claims.claim
        leases = take(tx, want, held=held)
        self._wake_count = tx.wake_count
        return lost, leases

    def _open(self, leases: list[Lease]) -> None:
        for lease in leases:
            try:
                work = self._find_work(lease)
            except Exception as error:  # noqa: BLE001  # whatever it is, the run must not be stuck
                emit("work.unavailable", run=lease.run_id, job=lease.job, error=error)
                self._pending.append((None, unavailable(lease, error)))
            else:
                self._calls.open(lease, work)
        if leases:
            self._claims.rotate()
            if leases[0].is_held:
                self.holds()

    def _want(self) -> tuple[int, int]:
        """How many more runs to ask for, and how many of them only to be held ready."""
        if not self._looks or not self._is_claiming or self.is_cut_off:
            return 0, 0
        slots = self._options.slots
        ahead = self._reserve.ahead(elapsed_s())
        if ahead and self._claims.close_within(1.0):
            ahead = 0  # what is held when a maintenance window begins would start in it
        held = len(self._calls) - len(self._pending)
        # With a deep reserve, wait until it pays to ask: half of it, or a slot without a next run.
        if held > slots and held > (slots + ahead) // 2:
            return 0, 0
        return max(0, slots + ahead - held), ahead

    def _forget(self) -> None:
        """The store knows these. What was given back or never began says nothing of the pace."""
        done, took_s = 0, 0.0
        for call, _ in self._pending:
            if call is not None:
                self._calls.forget(call)
                if call.started_s is not None:
                    done += 1
                    took_s += call.ended_s - call.started_s
        self._pending = []
        self._reserve.measure(done, took_s, elapsed_s())


class _JoinedClaim:
    """Leases claimed in somebody's transaction, ours once it is committed."""

    def __init__(self, courier: Courier, leases: list[Lease]) -> None:
        self._courier = courier
        self._leases = leases

    def committed(self) -> None:
        self._courier.claimed_within(self._leases)

    def fail(self) -> None:
        self._courier.claimed_within([])
