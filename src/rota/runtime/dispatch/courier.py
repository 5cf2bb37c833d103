"""The courier: carries reports of ended runs to a source and brings leases back.

An idle courier flushes at once; while a flush is on its way the next batch gathers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from rota.clock import elapsed_s
from rota.errors import StoreUnavailable
from rota.model.runs.run import Lease
from rota.notices import emit
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.dispatch.stall import Stall
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service
from rota.runtime.source import RunExchange


class Courier(Service):
    """Moves runs between a source and the attempts of one worker.

    With a source whose claims wait for runs, a thread of its own claims (`claim_apart`); the
    courier then only reports.
    """

    def __init__(
        self,
        runs: RunExchange[Any],
        calls: AttemptTable,
        *,
        options: WorkerOptions,
        reserve: Prefetch,
    ) -> None:
        super().__init__()
        self.interval_s = options.poll_ms / 1000
        self.turn = self._turn = Lock()
        """Held while reports and leases are on their way."""
        self.is_claiming = False
        self.is_cut_off = False
        self.looks = True
        """Whether there may be something to claim."""
        self.holds: Callable[[], None] = lambda: None
        """Called when more was claimed than there are free slots."""
        self._runs = runs
        self._calls = calls
        self._find_work = runs.find_work
        self._slots = options.slots
        self._pending: list[tuple[Attempt | None, Any]] = []
        self._told: deque[Any] = deque()
        """Reports that are not about the end of an attempt; filled by any thread."""
        self._stall = Stall(runs)
        self._reserve = reserve
        self._claimer: Service | None = None

    def claim_apart(self, claimer: Service) -> None:
        """Leave claims to this service from now on; it is woken when there is room for runs."""
        self._claimer = claimer

    def claim_on(self, *, claiming: bool) -> bool:
        """Begin or cease to claim; return the old value.

        No claim of ours is on its way on return. Claims of a separate service end in their own
        time.
        """
        if self._claimer is not None:
            was, self.is_claiming = self.is_claiming, claiming
        else:
            with self._turn:
                was, self.is_claiming = self.is_claiming, claiming
        if claiming:
            self.look()
        return was

    def look(self) -> None:
        """Look for something to claim, soon."""
        self.looks = True
        if self._claimer is None:
            self.wake()
        else:
            self._claimer.wake()

    def fetch(self) -> None:
        """Claim in the calling thread, which may wait for the source."""
        self.looks = True
        self.carry()

    def carry(self) -> None:
        """Report and claim in the calling thread, which may wait for the source.

        Waking the courier's own thread costs 0.1 to 0.2 ms of the 2 from submit to start, and of
        the 2 from one node of a graph to the next.
        """
        more = True
        if not self.failures and self._turn.acquire(blocking=False):
            try:
                more = self._turn_over()
            except Exception:  # noqa: BLE001, S110  # our own thread meets it again, and knows
                pass
            finally:
                self._turn.release()
        if more:
            self.wake()

    def tell(self, report: Any) -> None:
        """Report something that is not the end of an attempt; from any thread."""
        self._told.append(report)
        self.wake()

    def pause_s(self) -> float:
        self.looks = True  # after the pause we look, woken or not
        return super().pause_s()

    def tick(self) -> bool:
        with self._turn:
            try:
                more = self._turn_over()
            except StoreUnavailable:
                raise
            except Exception as error:
                self._stall.met(error)
                raise
            self._stall.over()
            return more

    @property
    def is_empty(self) -> bool:
        """Whether all ends have been reported to the source."""
        return not self._pending and not self._told and not self._calls.endings

    def room(self) -> tuple[int, int]:
        """Return how many more runs to claim, and how many of them only to hold ready."""
        if not self.is_claiming or self.is_cut_off:
            return 0, 0
        slots = self._slots
        ahead = self._reserve.ahead(elapsed_s())
        if ahead and self._runs.forbids_prefetch():
            ahead = 0
        in_hand = len(self._calls) - len(self._pending)
        # With a deep reserve, claim when it pays: at half of it, or for a slot with no next run.
        if in_hand > slots and in_hand > (slots + ahead) // 2:
            return 0, 0
        return max(0, slots + ahead - in_hand), ahead

    def open(self, leases: Sequence[Lease]) -> None:
        """Have these leases carried out."""
        for lease in leases:
            try:
                work = self._find_work(lease)
            except Exception as error:  # noqa: BLE001  # whatever it is, the run must not be stuck
                emit("work.unavailable", run=lease.run_id, job=lease.job, error=error)
                report = self._runs.refusal_of(lease, error)
                if report is not None:
                    self._told.append(report)
            else:
                self._calls.open(lease, work)
        if leases and leases[0].is_held:
            self.holds()

    def _turn_over(self) -> bool:
        """Report ends and claim runs; return True when there is more of either."""
        self._gather()
        claims = self._claimer is None
        want, ahead = self.room() if self.looks and claims else (0, 0)
        if self._pending or want:
            self._exchange(want, ahead)
        return bool(self._calls.endings) or (self.looks and claims and self.room()[0] > 0)

    def _gather(self) -> None:
        runs, pending, endings = self._runs, self._pending, self._calls.endings
        while self._told and len(pending) < runs.batch:
            pending.append((None, self._told.popleft()))
        while endings and len(pending) < runs.batch and not runs.is_full:
            call, ending = endings.popleft()
            report = runs.report_of(call, ending)
            if report is None:
                self._calls.forget(call)  # another worker owns this run now
                if self._claimer is not None:
                    self._claimer.wake()
            else:
                pending.append((call, report))
                # The end of a node may release others, which the same transaction claims.
                self.looks = self.looks or call.lease.parent_id is not None

    def _exchange(self, want: int, ahead: int) -> None:
        reports = [report for _, report in self._pending]
        if want:
            # Cleared before: a wake-up by others during the exchange means looking again.
            self.looks = False
        if self._claimer is not None:
            self._claimer.wake()  # runs whose reports are on their way leave room already
        try:
            lost, leases, may_be_more = self._runs.exchange(reports, want, ahead)
        except Exception:
            self.looks = True
            raise
        self._forget()
        if lost:
            emit("lease.lost", runs=lost, worker=self._runs.worker_id)
        self.open(leases)
        if len(leases) >= want > 0 or may_be_more:
            self.looks = True

    def _forget(self) -> None:
        """Forget attempts that the source knows; those given back do not count as pace."""
        pending, self._pending = self._pending, []
        count, took_s = 0, 0.0
        for call, _ in pending:
            if call is not None:
                self._calls.forget(call)
                if call.started_s is not None:
                    count += 1
                    took_s += call.ended_s - call.started_s
        self._reserve.measure(count, took_s, elapsed_s())
        if self._claimer is not None:
            self._claimer.wake()
