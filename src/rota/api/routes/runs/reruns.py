"""Runs again: one, a part of a graph, or many at once; and many stopped at once."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import post
from litestar.params import FromPath, JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.runs.bodies import RerunBody, StateDocument
from rota.api.routes.runs.documents import Status
from rota.api.routes.runs.lists import LONGEST
from rota.api.routes.runs.runs import reached
from rota.api.runs.payload_limits import checked_args
from rota.api.server.documents import Document
from rota.api.server.request import ApiRequest
from rota.engine.failures.redrive import RedrivePair
from rota.engine.graphs.control import Part, rerun_graph
from rota.engine.identity.audit_log import Actor
from rota.engine.identity.namespaces import check_room, find_namespace
from rota.engine.jobs.definitions import spec_of
from rota.engine.runs.bulk import MOST, RunFilter, cancel_all, matching, rerun_all
from rota.engine.runs.rerun import again as start_again
from rota.engine.runs.rerun import rerun
from rota.errors import BadOption
from rota.ids import is_id, new_id
from rota.model.run import RunView
from rota.model.states import State
from rota.model.view import Body
from rota.operations.instants import instant_ms_or_none
from rota.operations.permissions import check_starts
from rota.rules.jobs.stored_signature import recorded_signature
from rota.store.base import Tx

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)] | None


class FilterBody(Body):
    """Which runs; what is left out does not matter, but something must be said."""

    status: Status | None = None
    job: str | None = msgspec.field(default=None, name="jobId")
    queue: str | None = None
    schedule: str | None = None
    error: Text = None
    """A part of the last error."""
    text: Text = None
    """A part of the arguments, or of the key."""
    since: datetime | None = None
    """Asked for at this time or later."""
    until: datetime | None = None
    """Asked for before this time."""
    steps: bool = True
    """False: without the runs of nodes."""


class BulkActBody(Body):
    """Some runs by their ids, or all that a filter finds."""

    ids: list[str] | None = None
    filter: FilterBody | None = None
    dry_run: bool = False
    """Only count them."""
    reason: str | None = None


class BulkActed(Document):
    """How many runs a request was about."""

    matched: int
    """Up to 10,000; there may be `more`."""
    done: int
    """The others had ended before, had not ended, or are not there."""
    more: bool
    """Send the request again for the rest."""
    dry_run: bool


@post("/runs/{run_id:str}/rerun", **needs("operator", changes=True, also=("exec",)))
async def rerun_run(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[RerunBody | None] = None
) -> StateDocument:
    """A new run, linked to this one, which has ended: with its arguments, or others.

    Of a graph, `fromFailed` and `fromNode` keep what need not be done again.
    """
    asked = data or RerunBody()
    fresh, part = new_id(), _part(asked)

    def again(tx: Tx, by: Actor) -> StateDocument:
        old = reached(tx, request, run_id)
        check_starts(tx, request.credential, [start_again(old)])
        _check_room(tx, request, 1)
        args = None if asked.args is None else _bound(tx, request, old, asked.args)
        how: dict[str, Any] = {"namespace": request.namespace, "new_id": fresh, "by": by}
        if part == "all" and not asked.all_nodes:
            rerun(tx, run_id, args=args, **how)
        else:
            rerun_graph(tx, run_id, part=part, node=asked.from_node, args=args, **how)
        return StateDocument(run_id=fresh, status="queued")

    return await request.change(
        "rerun",
        run_id,
        again,
        answers=StateDocument,
        detail={"run": fresh, "part": part, "node": asked.from_node},
        why=asked.reason or "",
    )


@post("/runs/bulk/cancel", **needs("operator", changes=True), status_code=200)
async def cancel_runs(request: ApiRequest, data: JSONBody[BulkActBody]) -> BulkActed:
    """End runs that wait, ask those that run to stop; up to 10,000 at once."""
    reason = data.reason or f"cancelled by {request.credential.who}"

    def stop(tx: Tx, _: Actor) -> BulkActed:
        ids, more = _chosen(tx, request, data, ended=False)
        done = cancel_all(
            tx,
            ids,
            namespace=request.namespace,
            reason=reason,
            is_wanted=request.credential.reaches,
        )
        return BulkActed(matched=len(ids), done=len(done), more=more, dry_run=False)

    return await _bulk(request, data, "cancel runs", stop, ended=False)


@post("/runs/bulk/rerun", **needs("operator", changes=True, also=("exec",)), status_code=200)
async def rerun_runs(request: ApiRequest, data: JSONBody[BulkActBody]) -> BulkActed:
    """New runs with the arguments of ended ones, each linked to its own; up to 10,000 at once."""

    def again(tx: Tx, by: Actor) -> BulkActed:
        ids, more = _chosen(tx, request, data, ended=True)
        _check_room(tx, request, len(ids))
        pairs = [RedrivePair(run_id, new_id()) for run_id in ids]
        done = rerun_all(
            tx,
            pairs,
            namespace=request.namespace,
            by=by,
            is_wanted=request.credential.reaches,
            check=lambda starts: check_starts(tx, request.credential, starts),
        )
        return BulkActed(matched=len(ids), done=len(done), more=more, dry_run=False)

    return await _bulk(request, data, "rerun runs", again, ended=True)


async def _bulk(
    request: ApiRequest, data: BulkActBody, verb: str, work: Any, *, ended: bool
) -> BulkActed:
    _check(data)
    if data.dry_run:

        def count(tx: Tx) -> BulkActed:
            ids, more = _chosen(tx, request, data, ended=ended)
            return BulkActed(matched=len(ids), done=0, more=more, dry_run=True)

        return await request.read(count)
    subject = f"{len(data.ids)} runs" if data.ids is not None else "runs of a filter"
    detail = {} if data.filter is None else {"filter": msgspec.to_builtins(data.filter)}
    return await request.change(
        verb, subject, work, answers=BulkActed, detail=detail, why=data.reason or ""
    )


def _check(data: BulkActBody) -> None:
    if (data.ids is None) == (data.filter is None):
        raise BadOption("give exactly one of ids and filter")
    if data.ids is not None:
        if not 1 <= len(data.ids) <= MOST:
            raise BadOption(f"ids: give 1 to {MOST:,} at once")
        bad = next((each for each in data.ids if not is_id(each)), None)
        if bad is not None:
            raise BadOption(f"ids: {bad!r:.64} is not the id of a run")
    elif data.filter is not None and data.filter == FilterBody(steps=data.filter.steps):
        raise BadOption("filter: it is empty and would be about all runs; say which are meant")


def _chosen(
    tx: Tx, request: ApiRequest, data: BulkActBody, *, ended: bool
) -> tuple[list[str], bool]:
    """The ids, each once, and whether there are more."""
    if data.ids is not None:
        return list(dict.fromkeys(data.ids)), False
    asked = data.filter or FilterBody()
    wanted = RunFilter(
        state=None if asked.status is None else State(asked.status),
        job=asked.job,
        queue=asked.queue,
        queues=request.credential.queues,
        schedule=asked.schedule,
        error=asked.error,
        text=asked.text,
        since=instant_ms_or_none("since", asked.since),
        until=instant_ms_or_none("until", asked.until),
        steps=asked.steps,
    )
    found = matching(tx, wanted, namespace=request.namespace, ended=ended, limit=MOST + 1)
    return found[:MOST], len(found) > MOST


def _part(asked: RerunBody) -> Part:
    if sum((asked.from_failed, asked.from_node is not None, asked.all_nodes)) > 1:
        raise BadOption("give one of fromFailed, fromNode and allNodes")
    if asked.from_node is not None:
        return "from" if asked.downstream else "only"
    return "failed" if asked.from_failed else "all"


def _bound(tx: Tx, request: ApiRequest, old: RunView, args: dict[str, Any]) -> str:
    spec = spec_of(tx, old.job, old.version, namespace=request.namespace)
    if spec is None:
        return checked_args(tx, request, msgspec.json.encode(args).decode())
    return checked_args(tx, request, recorded_signature(spec).bind((), args))


def _check_room(tx: Tx, request: ApiRequest, more: int) -> None:
    quotas = find_namespace(tx, request.namespace).quotas
    check_room(tx, request.namespace, more=more, quotas=quotas)


ROUTES = (cancel_runs, rerun_runs, rerun_run)
