"""The exchange of a remote worker: it reports ends to a server and claims runs from it.

Reports and claims are separate requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rota.clock import elapsed_s
from rota.engine.jobs.definitions import PinnedVersion
from rota.errors import NotPermitted, RotaError, StoreUnavailable, UnknownWorker
from rota.model.runs.run import Lease
from rota.model.workers.remote import (
    MOST_RUNS,
    ClaimBody,
    Claimed,
    ClaimedRun,
    EndBody,
    FinishBody,
    Finished,
    Stray,
)
from rota.notices import emit, emit_rarely
from rota.remote.report import end_of, returned, unrecorded, unstarted
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.runtime.attempts.attempt import Attempt, Ending, ResolvedJob
from rota.runtime.source import Exchanged

BATCH_BYTES = 3_000_000
"""Most bytes of results in one report; escaping may double them, and the server takes 8 MB."""
WAIT_S = 20.0
"""How long a request that waits for news stays open: proxies end those that take a minute."""
EARLY_S = 0.1
"""An empty answer that comes sooner means that the server does not want us to wait."""


class HttpExchange:
    """Exchanges runs with a server, for a worker without a database (RunExchange).

    A thread of its own makes the claims, because a claim waits at the server.
    """

    batch = 500
    find_work: Callable[[Lease], ResolvedJob]

    def __init__(self, transport: ServerTransport, tokens: AttemptTokens) -> None:
        self._transport = transport
        self._tokens = tokens
        self.is_full = False
        self._bytes = 0
        """Bytes of the results reported since the last exchange."""
        self._is_unsure = False
        """Whether the answer to a claim was lost, and perhaps runs with it."""
        self.takes: dict[str, str] | None = None
        """The arguments that our functions take, until the server has received them."""
        self.definitions: dict[tuple[str, int], PinnedVersion] = {}
        """Definitions of all jobs whose runs have come so far; a version never changes."""
        self.tell: Callable[[EndBody], None]
        """Sends a report that is not about the end of an attempt of this worker."""

    @property
    def worker_id(self) -> str:
        return self._transport.worker_id

    @worker_id.setter
    def worker_id(self, worker_id: str) -> None:
        self._transport.worker_id = worker_id

    def report_of(self, call: Attempt, ending: Ending) -> EndBody | None:
        run_id, fence = call.key
        understands = self._transport.understands
        token = self._tokens.find(run_id, fence)
        report = None if token is None else end_of(call, ending, token, understands)
        if report is None:
            self._tokens.part_with(run_id, fence)
            return None
        self._bytes += len(report.result or "")
        self.is_full = self._bytes >= BATCH_BYTES
        return report

    def refusal_of(self, lease: Lease, error: Exception) -> EndBody | None:
        """Return a failure: a run that only went back would be claimed again at once."""
        token = self._tokens.find(lease.run_id, lease.fence)
        return None if token is None else unstarted(lease, token, error)

    def forbids_prefetch(self) -> bool:
        """Whether prefetch is off because the server cannot record it: nobody would see it wait."""
        return not self._transport.understands.begins

    def note_stall(self, why: str | None) -> None:
        """Do nothing: a server keeps no record of stalls."""

    def exchange(self, reports: list[EndBody], want: int, ahead: int) -> Exchanged:
        lost = self._finish(reports) if reports else []
        if not want:
            return lost, [], False
        leases, may_be_more = self._claim(want, ahead)
        return lost, leases, may_be_more

    def give_back(self, lease: Lease) -> None:
        """Report that this worker will not carry out a lease after all."""
        token = self._tokens.find(lease.run_id, lease.fence)
        if token is not None:
            self.tell(returned(lease.run_id, lease.fence, token))

    def disown(self, strays: Sequence[Stray]) -> None:
        """Give back runs that the server lists as ours and that we never received.

        The server compared its record with a list of ours that may be old: runs that we hold stay.
        """
        unknown: list[str] = []
        for stray in strays:
            began = self._tokens.disown(stray.run_id, stray.fence)
            if began is not None:
                unknown.append(stray.run_id)
                self.tell(returned(stray.run_id, stray.fence, stray.token, began=began))
        if unknown:
            emit("runs.strayed", worker=self.worker_id, runs=unknown)

    def _finish(self, reports: list[EndBody]) -> list[str]:
        try:
            lost = self._send(reports)
        except StoreUnavailable:
            raise
        except RotaError as error:
            emit_rarely("finish.refused", self.worker_id, worker=self.worker_id, error=error)
            lost = [run_id for report in reports for run_id in self._send_alone(report)]
        for report in reports:
            self._tokens.part_with(report.run_id, report.fence)
        self._bytes, self.is_full = 0, False
        return lost

    def _send(self, reports: list[EndBody]) -> list[str]:
        """Send reports; return the ids of runs that are not ours any more."""
        try:
            return self._transport.say("finish", Finished, FinishBody(ended=reports)).lost
        except UnknownWorker:
            return [report.run_id for report in reports]

    def _send_alone(self, report: EndBody) -> list[str]:
        """Send one report; if the server refuses it, send a plain failure in its place."""
        try:
            return self._send([report])
        except StoreUnavailable:
            raise
        except NotPermitted as error:
            emit("lease.lost", runs=[report.run_id], worker=self.worker_id, error=error)
            return []
        except RotaError as error:
            return self._send([unrecorded(report, error)])

    def _claim(self, want: int, ahead: int) -> tuple[list[Lease], bool]:
        """Wait for runs; return leases, and whether to claim again at once."""
        began_s = elapsed_s()
        understands, takes = self._transport.understands, self.takes
        limit = min(want, MOST_RUNS)
        body = ClaimBody(limit=limit, held=self._tokens.all_held() if self._is_unsure else None)
        if understands.begins:
            body.ahead = min(ahead, limit)
        body.takes = takes
        body.hears_strays = self._is_unsure and understands.strays
        try:
            answer = self._transport.say("claim", Claimed, body, wait_s=WAIT_S)
        except UnknownWorker:
            return [], False  # the heartbeat finds out too, and registers anew
        except Exception:
            self._is_unsure = True
            raise
        self._is_unsure = False
        if takes is self.takes:  # not registered anew meanwhile
            self.takes = None
        self.disown(answer.strays)
        for each in answer.definitions:
            self.definitions[each.spec.name, each.version] = PinnedVersion(each.spec, each.origin)
        came = bool(answer.runs or answer.strays)
        return list(self._new(answer.runs)), came or elapsed_s() - began_s > EARLY_S

    def _new(self, runs: Sequence[ClaimedRun]) -> Iterable[Lease]:
        """Yield the leases that we do not hold yet and have not disowned."""
        for run in runs:
            lease = run.lease()
            if self._tokens.add(lease.run_id, lease.fence, run.token):
                yield lease
