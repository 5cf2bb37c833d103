"""Runs: submit in a transaction that requests share, and show one in a read that requests share."""

from __future__ import annotations

from functools import partial
from typing import Literal

from litestar import get, post
from litestar.params import FromPath, FromQuery, JSONBody

from rota.api.identity.authorization import needs
from rota.api.runs.submit_requests import SubmitCall, SubmitReply, SubmitRequest
from rota.api.server.request import ApiRequest
from rota.errors import BadInput, DuplicateKey, UnknownRun
from rota.model.runs.answers import SubmittedRun, SubmittedRuns
from rota.model.runs.run import RunView, Submitted
from rota.model.states import FINAL
from rota.model.values.artifact import is_pointer
from rota.operations.runs.bodies import BulkBody, SubmitBody
from rota.operations.runs.views import completed, has_more, offered
from rota.rules.text.duration import parse_duration

MOST_RUNS = 10_000
LONGEST_WAIT_MS = 60_000


@post("/runs", **needs("operator", changes=True))
async def submit_run(request: ApiRequest, data: JSONBody[SubmitBody]) -> SubmittedRun:
    """Ask for one run of a job; it is on disk when this answers."""
    answer = await submit_all(request, [data])
    only = answer.runs[0]
    if only.refused:
        raise DuplicateKey(data.key or "", only.id)
    return submitted(only, data)


@post("/runs/bulk", **needs("operator", changes=True))
async def submit_runs(request: ApiRequest, data: JSONBody[BulkBody]) -> SubmittedRuns:
    """Ask for many runs at once: all of them or none.

    A run whose own key belongs to a run with other arguments is told as refused, with that run.
    """
    if not 1 <= len(data.runs) <= MOST_RUNS:
        raise BadInput(f"give 1 to {MOST_RUNS:,} runs at once")
    answer = await submit_all(request, data.runs)
    each = zip(answer.runs, data.runs, strict=True)
    return SubmittedRuns(runs=[submitted(one, body) for one, body in each])


@get("/runs/{run_id:str}", **needs("viewer"))
async def show_run(
    request: ApiRequest, run_id: FromPath[str], wait: FromQuery[str | None] = None
) -> RunView:
    """A run as it is now; with `wait=30s` as it is when it has ended, or when that time is over."""
    view = await _find_visible(request, run_id)
    if wait is not None and view.state not in FINAL:
        wait_ms = parse_duration(wait)
        if wait_ms > LONGEST_WAIT_MS:
            raise BadInput(f"wait={wait:.64} is longer than {LONGEST_WAIT_MS // 1000}s; ask again")
        await request.server_state.waits.until_ended(
            run_id, namespace=request.namespace, timeout_s=wait_ms / 1000
        )
        view = await _find_visible(request, run_id)
    return await _whole(request, view)


async def _find_visible(request: ApiRequest, run_id: str) -> RunView:
    """Return the run if the caller sees it, in one read with the runs of other requests."""
    run = await request.server_state.reads.find(run_id, namespace=request.namespace)
    if not request.credential.reaches(run.queue):
        raise UnknownRun(run_id)
    return run


async def _whole(request: ApiRequest, view: RunView) -> RunView:
    """Return the view with values that are stored apart; only few runs need this second read."""
    if is_pointer(view.args) or is_pointer(view.result):
        run = request.server_state.app.run(view.id)
        view = await request.server_state.call(partial(run.filled, view))
    caller = request.caller
    if not has_more(view):
        return offered(view, caller)
    return await request.read(lambda tx: completed(tx, caller, view))


async def submit_all(
    request: ApiRequest, bodies: list[SubmitBody], verb: str = "submit"
) -> SubmitReply:
    """Submit all of the runs, in a transaction that other requests may share."""
    wishes = [
        SubmitRequest(job=each.name, args=each.args, options=each.options()) for each in bodies
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


def submitted(answer: Submitted, body: SubmitBody) -> SubmittedRun:
    status: Literal["queued", "scheduled", "refused"] = "queued"
    if answer.refused:
        status = "refused"
    elif body.delay is not None or body.at is not None:
        status = "scheduled"
    return SubmittedRun(run_id=answer.id, status=status, is_new=answer.is_new)


ROUTES = (submit_run, submit_runs, show_run)
