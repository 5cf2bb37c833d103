"""Starts: turn start requests into runs, under the schedule's overlap policy.

This handles starts by time, by hand and by events. The caller holds the rows of the schedules.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from rota.engine.admission.overlap import LiveRuns, WaitingStart, admit_starts, live_runs
from rota.engine.admission.release import release
from rota.engine.jobs.weights import weighed
from rota.engine.runs.finish import finish
from rota.engine.runs.submit import submit
from rota.engine.schedules.compiled import CompiledSchedule
from rota.engine.schedules.new_run import ScheduledStart, new_run
from rota.engine.wakeup_keys import worker_key
from rota.model.runs.run import NewRun, StartKind, Verdict
from rota.model.states import State
from rota.rules.schedules.overlap import Decision, Outcome
from rota.store.base import Row, Tx

REPLACED = "skipped: a newer start of its schedule took its place"
TOO_LATE = "skipped: it could not start within the time its schedule allows"
STOPPED = "cancelled: a newer start of its schedule took its place"

NewId = Callable[[], str]


class StartRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The starts requested of one schedule, whose row is locked."""

    row: Row
    plan: CompiledSchedule
    starts: Sequence[ScheduledStart] = ()
    held: Sequence[ScheduledStart] = ()
    """Instants left out because of a maintenance window."""
    waits: bool = False
    """Whether some starts may already wait."""

    @property
    def id(self) -> str:
        return str(self.row["id"])


class StartedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one start."""

    schedule_id: str
    instant: int
    kind: StartKind
    request: str = ""
    run_id: str | None = None
    decision: Decision | Literal["blackout"]


class StartResult(msgspec.Struct, kw_only=True):
    """The outcome of the starts of one schedule."""

    made: list[StartedRun] = []
    running: int = 0
    """The number of runs that may run, including those that start now."""
    waiting: int = 0
    dropped: int = 0
    """The number of starts that waited, were counted as fired, and are given up."""
    stops: list[str] = []
    """The runs that have to stop; `stop_old` stops them last."""

    @property
    def fired(self) -> int:
        return sum(each.run_id is not None for each in self.made) - self.dropped

    @property
    def skipped(self) -> int:
        return sum(each.run_id is None for each in self.made) + self.dropped


def begin(tx: Tx, asks: Sequence[StartRequest], *, new_id: NewId) -> dict[str, StartResult]:
    """Start, queue or give up the starts, by schedule id; leave out instants fired before."""
    lines = live_runs(tx, [ask.id for ask in asks if _counts(ask)])
    begun: dict[str, StartResult] = {}
    runs: dict[str, list[NewRun]] = defaultdict(list)
    released: list[str] = []
    given_up: list[tuple[WaitingStart, str]] = []
    for ask in asks:
        live = lines.get(ask.id) or LiveRuns()
        late = [each for each in live.waiting if _is_late(each, ask)]
        still_waiting = [each for each in live.waiting if each not in late]
        outcome = admit_starts(
            ask.row, ask.plan.policy, live, waiting=still_waiting, fresh=len(ask.starts)
        )
        begun[ask.id] = _begin_start(ask, live, outcome, new_id, is_left=len(still_waiting))
        begun[ask.id].dropped += len(late)
        released += [each.id for each in outcome.released]
        given_up += [(each, TOO_LATE) for each in late]
        given_up += [(each, REPLACED) for each in outcome.dropped]
    started = [each for one in begun.values() for each in one.made]
    if started:
        _claim_instants(tx, begun, started)
    for ask in asks:
        runs[ask.row["namespace"]] += _runs(tx, ask, begun[ask.id])
    for namespace, fresh in runs.items():
        if fresh:
            submit(tx, fresh, namespace=namespace)
    if released:
        release(tx, runs=released)
    _skip(tx, given_up)
    return begun


def stop_old(tx: Tx, begun: Iterable[StartResult]) -> None:
    """Ask runs to stop that newer starts replace, after the schedules have moved on.

    Runs that no worker has claimed end at once, and their schedule is checked again.
    """
    ids = sorted(run_id for one in begun for run_id in one.stops)
    if not ids:
        return
    rows = tx.all("pick_to_stop", ids=json.dumps(ids))
    running = [row for row in rows if row["state"] == State.RUNNING]
    if running:
        run_ids = json.dumps([str(row["id"]) for row in running])
        tx.execute("request_cancels", ids=run_ids, reason=STOPPED)
        tx.notify({worker_key(str(row["worker_id"])) for row in running})
    for row in rows:
        if row["state"] != State.RUNNING:
            verdict = Verdict(
                run_id=str(row["id"]),
                fence=row["fence"],
                verb="cancel",
                reason=STOPPED,
                fired=True,
            )
            finish(tx, [verdict], namespace=row["namespace"])


def _counts(ask: StartRequest) -> bool:
    return ask.plan.policy.overlap != "allow" or ask.plan.follows_end or ask.waits


def _is_late(waiting: WaitingStart, ask: StartRequest) -> bool:
    return waiting.expires_at is not None and waiting.expires_at <= ask.row["now"]


def _begin_start(
    ask: StartRequest,
    live: LiveRuns,
    outcome: Outcome[WaitingStart],
    new_id: NewId,
    *,
    is_left: int,
) -> StartResult:
    started = [
        StartedRun(
            schedule_id=ask.id,
            instant=start.instant,
            kind=start.kind,
            request=start.request,
            run_id=new_id() if decision in ("started", "waits") else None,
            decision=decision,
        )
        for start, decision in zip(ask.starts, outcome.decisions, strict=True)
    ]
    started += [
        StartedRun(
            schedule_id=ask.id,
            instant=start.instant,
            kind=start.kind,
            request=start.request,
            decision="blackout",
        )
        for start in ask.held
    ]
    begins = sum(each.decision == "started" for each in started) + len(outcome.released)
    waits = sum(each.decision == "waits" for each in started)
    old = [str(row["id"]) for row in live.running if _may_stop(row)]
    return StartResult(
        made=started,
        running=len(live.running) + begins,
        waiting=is_left - len(outcome.released) - len(outcome.dropped) + waits,
        dropped=len(outcome.dropped),
        stops=old[: outcome.cancels],
    )


def _may_stop(row: Row) -> bool:
    """Whether newer starts may replace a run; not one of a backfill, which would not come again."""
    return not row["cancel_requested"] and row["backfill_id"] is None


def _claim_instants(tx: Tx, begun: dict[str, StartResult], started: list[StartedRun]) -> None:
    """Insert the firings and drop starts whose instant the unique key shows to be taken."""
    batch = msgspec.json.encode(started).decode()
    if tx.execute("insert_firings", batch=batch) == len(started):
        return
    ours = {
        (str(row["schedule_id"]), row["instant"], row["kind"], row["request"], row["run_id"])
        for row in tx.all("find_firings", batch=batch)
    }
    ours = {(*key, str(run_id) if run_id else None) for *key, run_id in ours}
    for one in begun.values():
        one.made = [
            each
            for each in one.made
            if (each.schedule_id, each.instant, each.kind, each.request, each.run_id) in ours
        ]


def _runs(tx: Tx, ask: StartRequest, begun: StartResult) -> list[NewRun]:
    starts = {(start.instant, start.kind, start.request): start for start in ask.starts}
    return [
        new_run(
            weighed(tx, ask.row, each.run_id),
            ask.plan,
            starts[each.instant, each.kind, each.request],
            run_id=each.run_id,
            waits=each.decision == "waits",
        )
        for each in begun.made
        if each.run_id is not None
    ]


def _skip(tx: Tx, given_up: Sequence[tuple[WaitingStart, str]]) -> None:
    for namespace in {each.namespace for each, _ in given_up}:
        verdicts = [
            Verdict(run_id=each.id, fence=each.fence, verb="skip", reason=reason)
            for each, reason in given_up
            if each.namespace == namespace
        ]
        finish(tx, verdicts, namespace=namespace)
