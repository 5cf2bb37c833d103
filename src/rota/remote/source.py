"""Runs come and their ends go, between a server and the calls of a worker without a database.

Two threads, because one of them waits at the server for what is to come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rota.clock import elapsed_s
from rota.engine.jobs.definitions import PinnedVersion
from rota.errors import NotPermitted, RotaError, StoreUnavailable, UnknownWorker
from rota.model.remote import (
    MOST_RUNS,
    ClaimBody,
    Claimed,
    ClaimedRun,
    EndBody,
    FinishBody,
    Finished,
    Stray,
)
from rota.model.run import Lease
from rota.notices import emit, emit_rarely
from rota.remote.heartbeat import EARLY_S, WAIT_S, Poll
from rota.remote.report import end_of, unrecorded, unstarted
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.runtime.attempts.attempt import Attempt, Ending, ResolvedJob
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service

BATCH = 500
BATCH_BYTES = 3_000_000
"""Of results in one report; escaped they may take twice as much, and the server takes 8 MB."""
HOLD_S = 0.2
"""Runs are held ready for this long at the present pace, so that no slot waits for the network."""


class OutcomeReporter(Service):
    """Tells the server how calls ended, until it has heard."""

    def __init__(
        self, transport: ServerTransport, tokens: AttemptTokens, calls: AttemptTable
    ) -> None:
        super().__init__()
        self._transport = transport
        self._tokens = tokens
        self._calls = calls
        self._pending: list[tuple[Attempt | None, EndBody]] = []
        self._returned: list[EndBody] = []
        self.delivered: Callable[[list[Attempt]], None] = _nothing
        """Told which have arrived: their slots are free."""
        self.hears_begins = False
        """Whether the server wants to know when handlers began."""
        self.hears_takes = False
        """Whether the server wants to know which runs do not fit our functions."""
        self.tells_strays = False
        """Whether the server leaves it to us to give back what we do not know."""

    @property
    def pending(self) -> int:
        return len(self._pending)

    @property
    def is_empty(self) -> bool:
        return not self._pending and not self._returned and not self._calls.endings

    def give_back(self, lease: Lease) -> None:
        """A run that is not carried out here after all."""
        token = self._tokens.find(lease.run_id, lease.fence)
        if token is not None:
            self._return(lease.run_id, lease.fence, token)

    def disown(self, strays: Sequence[Stray]) -> None:
        """Give back runs on record as ours that we never heard of.

        The server compared its record with a list of ours that may be old: what we hold stays.
        """
        unknown: list[str] = []
        for stray in strays:
            began = self._tokens.disown(stray.run_id, stray.fence)
            if began is not None:
                unknown.append(stray.run_id)
                self._return(stray.run_id, stray.fence, stray.token, began=began)
        if unknown:
            emit("runs.strayed", worker=self._transport.worker_id, runs=unknown)

    def _return(self, run_id: str, fence: int, token: str, *, began: bool = False) -> None:
        said = EndBody(run_id=run_id, fence=fence, token=token, ending="stopped", why="drain")
        said.began = began
        self._returned.append(said)
        self.wake()

    def refuse(self, lease: Lease, error: Exception) -> None:
        """A run that cannot be started here: it fails, or it would come again at once."""
        token = self._tokens.find(lease.run_id, lease.fence)
        if token is not None:
            self._returned.append(unstarted(lease, token, error))
            self.wake()

    def tick(self) -> bool:
        self._gather()
        if not self._pending:
            return False
        try:
            self._report([said for _, said in self._pending])
        except StoreUnavailable:
            raise
        except RotaError as error:
            worker_id = self._transport.worker_id
            emit_rarely("finish.refused", worker_id, worker=worker_id, error=error)
            self._report_singly()
        for _, said in self._pending:
            self._tokens.part_with(said.run_id, said.fence)
        done = [call for call, _ in self._pending if call is not None]
        for call in done:
            self._calls.forget(call)
        self._pending = []
        self.delivered(done)
        return not self.is_empty

    def _gather(self) -> None:
        size = sum(len(said.result or "") for _, said in self._pending)
        while self._returned and len(self._pending) < BATCH:
            self._pending.append((None, self._returned.pop()))
        endings = self._calls.endings
        while endings and len(self._pending) < BATCH and size < BATCH_BYTES:
            call, ending = endings.popleft()
            token = self._tokens.find(call.lease.run_id, call.lease.fence)
            said = None if token is None else self._end_of(call, ending, token)
            if said is None:
                self._tokens.part_with(call.lease.run_id, call.lease.fence)
                self._calls.forget(call)  # somebody else owns this run now
            else:
                self._pending.append((call, said))
                size += len(said.result or "")

    def _end_of(self, call: Attempt, ending: Ending, token: str) -> EndBody | None:
        hears = {"hears_begins": self.hears_begins, "hears_takes": self.hears_takes}
        return end_of(call, ending, token, **hears)

    def _report(self, ended: list[EndBody]) -> None:
        try:
            lost = self._transport.say("finish", Finished, FinishBody(ended=ended)).lost
        except UnknownWorker:
            lost = [said.run_id for said in ended]
        if lost:
            emit("lease.lost", runs=lost, worker=self._transport.worker_id)

    def _report_singly(self) -> None:
        """Each alone; one that the server refuses becomes a plain failure."""
        for _, said in self._pending:
            try:
                self._report([said])
            except StoreUnavailable:
                raise
            except NotPermitted as error:
                emit(
                    "lease.lost", runs=[said.run_id], worker=self._transport.worker_id, error=error
                )
            except RotaError as error:
                self._report([unrecorded(said, error)])


class RunFetcher(Poll):
    """Waits at the server for runs, as long as there is room for some."""

    interval_s = 1.0

    def __init__(  # noqa: PLR0913  # its parts, all named
        self,
        transport: ServerTransport,
        tokens: AttemptTokens,
        calls: AttemptTable,
        *,
        options: WorkerOptions,
        find_work: Callable[[Lease], ResolvedJob],
        deliverer: OutcomeReporter,
        reserve: Prefetch,
    ) -> None:
        super().__init__()
        self._transport = transport
        self._tokens = tokens
        self._calls = calls
        self._options = options
        self._find_work = find_work
        self._deliverer = deliverer
        self._is_unsure = False
        """The answer to a claim was lost, and maybe runs with it."""
        self._reserve = reserve
        self.holds: Callable[[], None] = _nothing_held
        """Told when more came than there are free slots."""
        self.takes: dict[str, str] | None = None
        """What our functions take, until the server has heard it."""
        self.is_claiming = False
        self.is_cut_off = False
        self.definitions: dict[tuple[str, int], PinnedVersion] = {}
        """Of all jobs whose runs have come so far; one never changes."""

    def tick(self) -> bool:
        want, ahead = self._want()
        if not want:
            return False
        began_s = elapsed_s()
        body = ClaimBody(limit=want, held=self._tokens.all_held() if self._is_unsure else None)
        if self._deliverer.hears_begins:
            body.ahead = ahead
        body.takes = takes = self.takes
        body.hears_strays = self._is_unsure and self._deliverer.tells_strays
        try:
            answer = self._transport.say("claim", Claimed, body, wait_s=WAIT_S)
        except UnknownWorker:
            return False  # the heart is told so as well, and registers anew
        except Exception:
            self._is_unsure = True
            raise
        self._is_unsure = False
        if takes is self.takes:  # not registered anew meanwhile
            self.takes = None
        self._deliverer.disown(answer.strays)
        for each in answer.definitions:
            self.definitions[each.spec.name, each.version] = PinnedVersion(each.spec, each.origin)
        self._open(answer.runs)
        if any(run.is_held for run in answer.runs):
            self.holds()
        return bool(answer.runs or answer.strays) or elapsed_s() - began_s > EARLY_S

    def measure(self, ended: Sequence[Attempt]) -> None:
        """These ended since the last time."""
        begun = [call for call in ended if call.started_s is not None]
        took_s = sum(call.ended_s - (call.started_s or 0) for call in begun)
        self._reserve.measure(len(begun), took_s, elapsed_s())

    def _open(self, runs: Sequence[ClaimedRun]) -> None:
        for run in runs:
            lease = run.lease()
            if not self._tokens.add(lease.run_id, lease.fence, run.token):
                continue
            if not self.is_claiming or self.is_cut_off:
                self._deliverer.give_back(lease)
                continue
            try:
                work = self._find_work(lease)
            except Exception as error:  # noqa: BLE001  # whatever it is, the run must not be stuck
                emit("work.unavailable", run=lease.run_id, job=lease.job, error=error)
                self._deliverer.refuse(lease, error)
            else:
                self._calls.open(lease, work)

    def _want(self) -> tuple[int, int]:
        """How many more runs to ask for, and how many of them only to be held ready.

        None of the latter from a server that cannot be told so: nobody would see that they wait.
        """
        if not self.is_claiming or self.is_cut_off:
            return 0, 0
        slots = self._options.slots
        ahead = self._reserve.ahead(elapsed_s()) if self._deliverer.hears_begins else 0
        held = len(self._calls) - self._deliverer.pending
        if held > slots and held > (slots + ahead) // 2:
            return 0, 0
        want = max(0, min(MOST_RUNS, slots + ahead - held))
        return want, min(ahead, want)


def _nothing(done: list[Attempt]) -> None:
    pass


def _nothing_held() -> None:
    pass
