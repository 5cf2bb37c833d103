"""Runs and a server: reports go there and leases come back, each in requests of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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
from rota.remote.report import end_of, returned, unrecorded, unstarted
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.runtime.attempts.attempt import Attempt, Ending, ResolvedJob
from rota.runtime.source import Exchanged

BATCH_BYTES = 3_000_000
"""Of results in one report; escaped they may take twice as much, and the server takes 8 MB."""
WAIT_S = 20.0
"""How long a question that waits for news is left open: proxies end those that take a minute."""
EARLY_S = 0.1
"""An empty answer that came sooner means that the server does not want us to wait."""


class HttpExchange:
    """The runs of a worker without a database (RunExchange).

    A claim waits at the server: it is made by a thread of its own.
    """

    batch = 500
    find_work: Callable[[Lease], ResolvedJob]

    def __init__(self, transport: ServerTransport, tokens: AttemptTokens) -> None:
        self._transport = transport
        self._tokens = tokens
        self.is_full = False
        self._bytes = 0
        """Of the results that were reported since the last exchange."""
        self._is_unsure = False
        """The answer to a claim was lost, and maybe runs with it."""
        self.takes: dict[str, str] | None = None
        """What our functions take, until the server has heard it."""
        self.definitions: dict[tuple[str, int], PinnedVersion] = {}
        """Of all jobs whose runs have come so far; one never changes."""
        self.tell: Callable[[EndBody], None]
        """Has a report sent that is not about the end of an attempt here."""

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
        """It fails, or it would come again at once."""
        token = self._tokens.find(lease.run_id, lease.fence)
        return None if token is None else unstarted(lease, token, error)

    def forbids_prefetch(self) -> bool:
        """Whether the server cannot be told what is held ready: nobody would see that it waits."""
        return not self._transport.understands.begins

    def note_stall(self, why: str | None) -> None:
        """A server keeps no record of it."""

    def exchange(self, reports: list[EndBody], want: int, ahead: int) -> Exchanged:
        lost = self._finish(reports) if reports else []
        if not want:
            return lost, [], False
        leases, may_be_more = self._claim(want, ahead)
        return lost, leases, may_be_more

    def give_back(self, lease: Lease) -> None:
        """Report that a lease is not carried out here after all."""
        token = self._tokens.find(lease.run_id, lease.fence)
        if token is not None:
            self.tell(returned(lease.run_id, lease.fence, token))

    def disown(self, strays: Sequence[Stray]) -> None:
        """Give back runs on record as ours that we never heard of.

        The server compared its record with a list of ours that may be old: what we hold stays.
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
        """Those among them that are not ours any more."""
        try:
            return self._transport.say("finish", Finished, FinishBody(ended=reports)).lost
        except UnknownWorker:
            return [report.run_id for report in reports]

    def _send_alone(self, report: EndBody) -> list[str]:
        """One that the server refuses becomes a plain failure."""
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
        """Wait for runs; whether to ask again at once."""
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
            return [], False  # the heartbeat is told so as well, and registers anew
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
        """The leases that we do not have already, and have not said that we never heard of."""
        for run in runs:
            lease = run.lease()
            if self._tokens.add(lease.run_id, lease.fence, run.token):
                yield lease
