"""Runs: ask for some, look at them, stop them, run them again."""

from __future__ import annotations

from functools import partial
from typing import Literal

from litestar import get, post
from litestar.params import FromPath, FromQuery, JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.runs.bodies import (
    BulkBody,
    BulkDocument,
    CancelBody,
    StateDocument,
    SubmitBody,
    SubmittedDocument,
)
from rota.api.routes.runs.documents import (
    AttemptDocument,
    LogDocument,
    ReasonDocument,
    RunDocument,
    attempt_document,
    log_document,
    run_document,
    status_of,
)
from rota.api.runs.submit_requests import SubmitCall, SubmitReply, SubmitRequest
from rota.api.server.documents import when
from rota.api.server.request import ApiRequest
from rota.engine.admission.holds import Holds, holds
from rota.engine.failures.on_failure import told_run
from rota.engine.graphs.views.nodes import is_paused
from rota.engine.identity.audit_log import Actor
from rota.engine.insight.why import why, why_of_node
from rota.engine.logs import LogCursor, before_last, read
from rota.engine.runs.cancel import cancel
from rota.engine.runs.find import attempts, find, tally
from rota.errors import BadInput, DuplicateKey, UnknownRun
from rota.model.artifact import is_pointer
from rota.model.run import RunView, Submitted
from rota.model.states import FINAL, State
from rota.model.view import Page
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

MOST_RUNS = 10_000
MOST_LAST = 10_000
"""Lines before the end with which a reader may begin."""
LONGEST_WAIT_MS = 60_000


@post("/runs", **needs("operator", changes=True))
async def submit_run(request: ApiRequest, data: JSONBody[SubmitBody]) -> SubmittedDocument:
    """Ask for one run of a job; it is on disk when this answers."""
    answer = await submit_all(request, [data])
    only = answer.runs[0]
    if only.refused:
        raise DuplicateKey(data.key or "", only.id)
    return submitted(only, data)


@post("/runs/bulk", **needs("operator", changes=True))
async def submit_runs(request: ApiRequest, data: JSONBody[BulkBody]) -> BulkDocument:
    """Ask for many runs at once: all of them or none.

    A run whose own key belongs to a run with other arguments is told as refused, with that run.
    """
    if not 1 <= len(data.runs) <= MOST_RUNS:
        raise BadInput(f"give 1 to {MOST_RUNS:,} runs at once")
    answer = await submit_all(request, data.runs)
    each = zip(answer.runs, data.runs, strict=True)
    return BulkDocument(runs=[submitted(one, asked) for one, asked in each])


@get("/runs/{run_id:str}", **needs("viewer"))
async def show_run(
    request: ApiRequest, run_id: FromPath[str], wait: FromQuery[str | None] = None
) -> RunDocument:
    """A run as it is now; with `wait=30s` as it is when it has ended, or when that time is over."""
    view = await _found(request, run_id)
    if wait is not None and view.state not in FINAL:
        wait_ms = parse_duration(wait)
        if wait_ms > LONGEST_WAIT_MS:
            raise BadInput(f"wait={wait:.64} is longer than {LONGEST_WAIT_MS // 1000}s; ask again")
        await request.server_state.waits.until_ended(
            run_id, namespace=request.namespace, timeout_s=wait_ms / 1000
        )
        view = await _found(request, run_id)
    return await _whole(request, view)


@get("/runs/{run_id:str}/attempts", **needs("viewer"))
async def list_attempts(request: ApiRequest, run_id: FromPath[str]) -> Page[AttemptDocument]:
    """The attempts that did not succeed, oldest first."""

    def look(tx: Tx) -> list[AttemptDocument]:
        reached(tx, request, run_id)
        found = attempts(tx, run_id, namespace=request.namespace)
        return [attempt_document(each) for each in found]

    return Page(items=await request.read(look))


@get("/runs/{run_id:str}/logs", **needs("viewer"))
async def show_logs(
    request: ApiRequest,
    run_id: FromPath[str],
    after: FromQuery[str | None] = None,
    last: FromQuery[int | None] = None,
) -> Page[LogDocument]:
    """What its handler printed and logged, in order; `after` is the `next` of the page before.

    With `last=100` it begins near the end: some 100 lines before it, or a few more.
    """
    if last is not None and (after or not 1 <= last <= MOST_LAST):
        raise BadInput(f"last={last}: give 1 to {MOST_LAST:,} lines, and no `after` with it")

    def look(tx: Tx) -> Page[LogDocument]:
        reached(tx, request, run_id)
        home = request.namespace
        seen = before_last(tx, run_id, namespace=home, lines=last) if last else _seen(after)
        lines = [log_document(line) for line in read(tx, run_id, namespace=home, seen=seen)]
        ends = {each.fence: each.seq for each in seen} | {line.claim: line.seq for line in lines}
        mark = ",".join(f"{claim}.{seq}" for claim, seq in ends.items())
        return Page(items=lines, next=mark if lines else None)

    return await request.read(look)


@get("/runs/{run_id:str}/why", **needs("viewer"))
async def explain_run(
    request: ApiRequest, run_id: FromPath[str], node: FromQuery[str | None] = None
) -> Page[ReasonDocument]:
    """Why it, or a node of it, is not running now; the most telling reason first."""

    def look(tx: Tx) -> list[ReasonDocument]:
        reached(tx, request, run_id)
        at = {"namespace": request.namespace}
        found = why(tx, run_id, **at) if node is None else why_of_node(tx, run_id, node, **at)
        return [
            ReasonDocument(kind=each.kind, says=each.says, count=each.count, until=when(each.until))
            for each in found
        ]

    return Page(items=await request.read(look))


@post("/runs/{run_id:str}/cancel", **needs("operator", changes=True), status_code=200)
async def cancel_run(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[CancelBody | None] = None
) -> StateDocument:
    """End a waiting run now, ask a running one to stop; a graph runs its teardowns first."""
    reason = (data.reason if data else None) or f"cancelled by {request.credential.who}"
    force = data is not None and data.force

    def stop(tx: Tx, _: Actor) -> StateDocument:
        reached(tx, request, run_id)
        state = cancel(tx, run_id, namespace=request.namespace, reason=reason, force=force)
        return StateDocument(run_id=run_id, status=status_of(state))

    return await request.change(
        "cancel run",
        run_id,
        stop,
        answers=StateDocument,
        before=lambda tx: run_document(reached(tx, request, run_id)),
        detail={"force": True} if force else {},
        why=(data.reason if data else None) or "",
    )


async def _found(request: ApiRequest, run_id: str) -> RunView:
    """The same as `reached`, together with others who ask now."""
    run = await request.server_state.reads.find(run_id, namespace=request.namespace)
    if not request.credential.reaches(run.queue):
        raise UnknownRun(run_id)
    return run


async def _whole(request: ApiRequest, view: RunView) -> RunDocument:
    """With values that are kept apart; asks again only for what few runs have."""
    if is_pointer(view.args) or is_pointer(view.result):
        run = request.server_state.app.run(view.id)
        view = await request.server_state.call(partial(run.filled, view))
    counted, paused = None, None
    if view.attempt > 1 or view.failures or view.crashes or view.error is not None:
        counted = await request.read(lambda tx: tally(tx, view.id, namespace=request.namespace))
    if view.state is State.SUSPENDED:
        paused = await request.read(lambda tx: is_paused(tx, view.id))
    told = None
    if view.state is State.FAILED:
        told = await request.read(lambda tx: told_run(tx, view))
    return run_document(
        view,
        request.credential,
        is_paused=paused,
        tally=counted,
        on_failure_run=told.id if told and request.credential.reaches(told.queue) else None,
    )


def scene_of(tx: Tx, request: ApiRequest, found: list[RunView]) -> Holds | None:
    if all(run.state is not State.QUEUED for run in found):
        return None
    return holds(tx, namespace=request.namespace)


def reached(tx: Tx, request: ApiRequest, run_id: str) -> RunView:
    """The run, if it is of the namespace and a queue that the credential reaches."""
    run = find(tx, run_id, namespace=request.namespace)
    if not request.credential.reaches(run.queue):
        raise UnknownRun(run_id)
    return run


async def submit_all(
    request: ApiRequest, asked: list[SubmitBody], verb: str = "submit"
) -> SubmitReply:
    """All of them, in a transaction that other requests may share."""
    wishes = [
        SubmitRequest(job=each.name, args=each.args, options=each.options()) for each in asked
    ]
    call = SubmitCall(
        credential=request.credential,
        wishes=wishes,
        by=request.by(),
        keyed=await request.keyed(),
        verb=verb,
    )
    answer = await request.server_state.submits.submit(call)
    if answer.is_replay:
        request.add_header("Idempotency-Replayed", "true")
    return answer


def submitted(answer: Submitted, asked: SubmitBody) -> SubmittedDocument:
    status: Literal["queued", "scheduled", "refused"] = "queued"
    if answer.refused:
        status = "refused"
    elif asked.delay is not None or asked.at is not None:
        status = "scheduled"
    return SubmittedDocument(run_id=answer.id, status=status, is_new=answer.is_new)


def _seen(mark: str | None) -> list[LogCursor]:
    if not mark:
        return []
    try:
        pairs = [each.split(".") for each in mark.split(",")]
        return [LogCursor(int(claim), int(seq)) for claim, seq in pairs]
    except ValueError as error:
        raise BadInput(f"after={mark!r:.64} is not the `next` of a page of lines") from error


ROUTES = (
    submit_run,
    submit_runs,
    show_run,
    list_attempts,
    show_logs,
    explain_run,
    cancel_run,
)
