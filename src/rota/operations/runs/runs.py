"""Operations on runs: list them, show attempts, explain why one does not run, stop one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec

from rota.engine.admission.active_holds import active_holds
from rota.engine.insight.why import why, why_of_node
from rota.engine.runs.cancel import cancel
from rota.engine.runs.find import attempts
from rota.engine.runs.lists import page
from rota.engine.runs.search.labels import with_labels
from rota.errors import BadInput
from rota.ids import is_id
from rota.model.runs.answers import RunState
from rota.model.runs.reason import Reason
from rota.model.runs.run import AttemptView, RunView
from rota.model.states import State
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit, page_start
from rota.operations.runs.run_search import TIMES, search_of
from rota.operations.runs.views import listed
from rota.operations.runs.visible import visible_run
from rota.operations.wire import QueryName
from rota.store.base import Tx

LONGEST = 200
"""The most characters of a part to search for."""
Part = Annotated[str | None, msgspec.Meta(min_length=1, max_length=LONGEST)]


@reads("/runs")
def list_runs(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    caller: Caller,
    *,
    status: State | None = None,
    job: Annotated[str | None, QueryName("jobId")] = None,
    queue: str | None = None,
    schedule: str | None = None,
    parent: Annotated[str | None, QueryName("parentId")] = None,
    steps: bool = True,
    error: Part = None,
    text: Part = None,
    label: list[str] | None = None,
    arg: list[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    scheduled_since: datetime | None = None,
    scheduled_until: datetime | None = None,
    view: str | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[RunView]:
    """The newest first; `cursor` is the `next` of the page before.

    A page that would have to pass over very many runs is cut: it has fewer than `limit`, perhaps
    none, and its `next` goes on where it stopped. Only a `next` of null is the end.
    `parentId` is the run of a graph, whose nodes are meant; `steps=false` leaves out the runs of
    nodes, so that a graph is one run. `since` and `until` are about when runs
    were asked for, `scheduledSince` and `scheduledUntil` about the instant of a schedule that they
    are for. `label` is `team=billing`, `amount>10` (>=, <, <=) or a name alone, `arg` is
    `customer=acme`; given several times, all must hold. `view` is the name of a saved view; what is
    given beside it goes before what it says. `status=running` finds runs of graphs whose nodes go
    on as well: their own status is `suspended`. `error` is a part of an error or its traceback;
    `text` is a part of the arguments or the key. Case does not matter. With `text` or `arg` runs of
    the last day are meant if `since` does not say otherwise.
    """
    start = page_start(cursor)
    if parent is not None and not is_id(parent):
        raise BadInput(f"parentId={parent!r:.64} is not the id of a run")
    times = dict(zip(TIMES, (since, until, scheduled_since, scheduled_until), strict=True))
    given: dict[str, Any] = {"status": status, "job": job, "queue": queue, "schedule": schedule}
    given |= {"steps": steps, "error": error, "text": text, "label": label, "arg": arg}
    wanted = search_of(tx, caller, given | times, view=view)
    if wanted["queue"] is not None and not caller.sees(wanted["queue"]):
        return Page(items=[])
    found = page(
        tx,
        namespace=caller.namespace,
        queues=None if wanted["queue"] is not None else caller.credential.queues,
        parent=parent,
        before=start,
        limit=limit,
        **wanted,
    )
    waits = any(run.state is State.QUEUED for run in found.runs)
    here = active_holds(tx, namespace=caller.namespace) if waits else None
    runs = with_labels(tx, found.runs, namespace=caller.namespace)
    items = [listed(run, caller, holds=here, paused=run.id in found.paused) for run in runs]
    return Page(items=items, next=found.next)


@reads("/runs/{run_id}/attempts")
def list_attempts(tx: Tx, caller: Caller, run_id: str) -> Page[AttemptView]:
    """The attempts that did not succeed, oldest first."""
    visible_run(tx, caller, run_id)
    return Page(items=attempts(tx, run_id, namespace=caller.namespace))


@reads("/runs/{run_id}/why")
def explain_run(tx: Tx, caller: Caller, run_id: str, *, node: str | None = None) -> Page[Reason]:
    """Why it, or a node of it, is not running now; the most telling reason first."""
    visible_run(tx, caller, run_id)
    at: dict[str, Any] = {"namespace": caller.namespace}
    return Page(
        items=why(tx, run_id, **at) if node is None else why_of_node(tx, run_id, node, **at)
    )


def _before(tx: Tx, caller: Caller, run_id: str, **_: object) -> RunView:
    return visible_run(tx, caller, run_id)


@changes("POST", "/runs/{run_id}/cancel", verb="cancel run", subject="run_id", before=_before)
def cancel_run(
    tx: Tx, caller: Caller, run_id: str, *, reason: str | None = None, force: bool = False
) -> RunState:
    """End a waiting run now, ask a running one to stop; a graph runs its teardowns first.

    With `force` a run of a graph ends at once, without its teardowns.
    """
    run = visible_run(tx, caller, run_id)
    because = reason or f"cancelled by {caller.credential.who}"
    state = cancel(tx, run_id, namespace=caller.namespace, reason=because, force=force)
    if run.state is State.CANCELLED:
        nothing_changed(tx, caller)
    else:
        tell(tx, caller, job=run.job, was=run.state, force=force or None)
    return RunState(run_id=run_id, status=state)
