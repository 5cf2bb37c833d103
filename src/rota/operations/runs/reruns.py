"""Operations that rerun one run, a part of its graph, or many runs; and that stop many at once."""

from __future__ import annotations

from collections.abc import Sized
from datetime import datetime
from typing import Annotated, Any

import msgspec

from rota.engine.failures.redrive import RedrivePair
from rota.engine.graphs.control import Part, rerun_graph
from rota.engine.jobs.definitions import spec_of
from rota.engine.runs.bulk import MOST, RunFilter, cancel_all, matching, rerun_all
from rota.engine.runs.rerun import again, rerun
from rota.errors import BadOption
from rota.ids import is_id
from rota.model.runs.answers import BulkDone, RunState
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.model.view import Body
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, tell, tell_all
from rota.operations.payloads import check_payload, check_room
from rota.operations.permissions import check_starts
from rota.operations.runs.run_search import search_of
from rota.operations.runs.runs import LONGEST
from rota.operations.runs.visible import visible_run
from rota.rules.jobs.stored_signature import recorded_signature
from rota.store.base import Tx

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)] | None


class FilterBody(Body):
    """Which runs; what is left out does not matter, but something must be said."""

    status: State | None = None
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
    label: tuple[str, ...] = ()
    """Conditions such as `team=billing`, `amount>10` or `urgent`; all must hold."""
    arg: tuple[str, ...] = ()
    """Arguments such as `customer=acme`; all must match."""
    scheduled_since: datetime | None = None
    """For an instant of a schedule from this one on."""
    scheduled_until: datetime | None = None
    """For an instant of a schedule before this one."""
    view: str | None = None
    """A saved view, which the other fields narrow down."""
    steps: bool = True
    """False: without the runs of nodes."""


class BulkActBody(Body):
    """Some runs by their ids, or all that a filter finds."""

    ids: list[str] | None = None
    filter: FilterBody | None = None
    dry_run: bool = False
    """Only count them."""
    reason: str | None = None


def _counts_only(body: BulkActBody) -> bool:
    return body.dry_run


@changes("POST", "/runs/{run_id}/rerun", verb="rerun", subject="run_id", also=("exec",), status=201)
def rerun_run(  # noqa: PLR0913  # what to run again, and with what, all named
    tx: Tx,
    caller: Caller,
    run_id: str,
    *,
    reason: str | None = None,  # noqa: ARG001  # for the record
    args: dict[str, Any] | None = None,
    from_failed: bool = False,
    from_node: str | None = None,
    downstream: bool = True,
    all_nodes: bool = False,
) -> RunState:
    """A new run, linked to this one, which has ended: with its arguments, or others.

    Of a graph, `fromFailed` keeps what did not fail, and `fromNode` what is not after that node;
    `downstream=false` is that node alone. `allNodes` is for graphs only, and keeps nothing.
    """
    part = _part(from_failed=from_failed, from_node=from_node, only=not downstream, every=all_nodes)
    old = visible_run(tx, caller, run_id)
    check_starts(tx, caller.credential, [again(old)])
    check_room(tx, caller, more=1)
    fresh = caller.new_id_for(run_id)
    how: dict[str, Any] = {
        "namespace": caller.namespace,
        "new_id": fresh,
        "who": caller.actor.who,
        "args": None if args is None else _bound(tx, caller, old, args),
    }
    if part == "all" and not all_nodes:
        _tell_closed(tx, caller, rerun(tx, run_id, **how))
    else:
        kept, closed = rerun_graph(tx, run_id, part=part, node=from_node, **how)
        tell_all(tx, caller, {"part": part, "node": from_node, "as": fresh, "kept": kept})
        tell(tx, caller, letters=len(closed) or None)
    tell(tx, caller, run=fresh, part=part, node=from_node)
    return RunState(run_id=fresh, status=State.QUEUED)


@changes("POST", "/runs/bulk/cancel", verb="cancel runs", subject="", only_reads=_counts_only)
def cancel_runs(tx: Tx, caller: Caller, body: BulkActBody) -> BulkDone:
    """End runs that wait, ask those that run to stop; up to 10,000 at once."""
    ids, more = _chosen(tx, caller, body, ended=False)
    if body.dry_run:
        return _counted(tx, caller, ids, more=more)
    done = cancel_all(
        tx,
        ids,
        namespace=caller.namespace,
        reason=body.reason or f"cancelled by {caller.credential.who}",
        is_wanted=caller.sees,
    )
    _tell(tx, caller, body, done)
    return BulkDone(matched=len(ids), done=len(done), more=more, dry_run=False)


@changes(
    "POST",
    "/runs/bulk/rerun",
    verb="rerun runs",
    subject="",
    also=("exec",),
    only_reads=_counts_only,
)
def rerun_runs(tx: Tx, caller: Caller, body: BulkActBody) -> BulkDone:
    """New runs with the arguments of ended ones, each linked to its own; up to 10,000 at once."""
    ids, more = _chosen(tx, caller, body, ended=True)
    if body.dry_run:
        return _counted(tx, caller, ids, more=more)
    check_room(tx, caller, more=len(ids))
    done, closed = rerun_all(
        tx,
        [RedrivePair(run_id, caller.new_id_for(run_id)) for run_id in ids],
        namespace=caller.namespace,
        who=caller.actor.who,
        is_wanted=caller.sees,
        check=lambda starts: check_starts(tx, caller.credential, starts),
    )
    _tell_closed(tx, caller, closed)
    _tell(tx, caller, body, done)
    return BulkDone(matched=len(ids), done=len(done), more=more, dry_run=False)


def _tell_closed(tx: Tx, caller: Caller, closed: list[str]) -> None:
    """Tell of which runs the dead letters were closed."""
    if closed:
        tell(tx, caller, letters=len(closed), runs=closed)


def _tell(tx: Tx, caller: Caller, body: BulkActBody, done: Sized) -> None:
    subject = "runs of a filter" if body.ids is None else f"{len(body.ids)} runs"
    wanted = None if body.filter is None else msgspec.to_builtins(body.filter)
    tell(tx, caller, subject=subject, filter=wanted)
    if not done:
        nothing_changed(tx, caller)


def _counted(tx: Tx, caller: Caller, ids: list[str], *, more: bool) -> BulkDone:
    nothing_changed(tx, caller)
    return BulkDone(matched=len(ids), done=0, more=more, dry_run=True)


def _check(body: BulkActBody) -> None:
    if (body.ids is None) == (body.filter is None):
        raise BadOption("give exactly one of ids and filter")
    if body.ids is not None:
        if not 1 <= len(body.ids) <= MOST:
            raise BadOption(f"ids: give 1 to {MOST:,} at once")
        bad = next((each for each in body.ids if not is_id(each)), None)
        if bad is not None:
            raise BadOption(f"ids: {bad!r:.64} is not the id of a run")
    elif body.filter is not None and body.filter == FilterBody(steps=body.filter.steps):
        raise BadOption("filter: it is empty and would be about all runs; say which are meant")


def _chosen(tx: Tx, caller: Caller, body: BulkActBody, *, ended: bool) -> tuple[list[str], bool]:
    """Return the ids, each once, and whether there are more."""
    _check(body)
    if body.ids is not None:
        return list(dict.fromkeys(body.ids)), False
    asked = body.filter or FilterBody()
    given = msgspec.structs.asdict(asked)
    view = given.pop("view")
    found_by = search_of(tx, caller, given, view=view, looks_back=False)
    wanted = RunFilter(queues=caller.credential.queues, **found_by)
    found = matching(tx, wanted, namespace=caller.namespace, ended=ended, limit=MOST + 1)
    return found[:MOST], len(found) > MOST


def _part(*, from_failed: bool, from_node: str | None, only: bool, every: bool) -> Part:
    if sum((from_failed, from_node is not None, every)) > 1:
        raise BadOption("give one of fromFailed, fromNode and allNodes")
    if from_node is not None:
        return "only" if only else "from"
    return "failed" if from_failed else "all"


def _bound(tx: Tx, caller: Caller, old: RunView, args: dict[str, Any]) -> str:
    spec = spec_of(tx, old.job, old.version, namespace=caller.namespace)
    if spec is None:
        text = msgspec.json.encode(args).decode()
    else:
        text = recorded_signature(spec).bind((), args)
    return check_payload(tx, caller, "the arguments take", text)
