"""Lists of runs, narrowed by what is known of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.runs.documents import RunDocument, Status, run_document
from rota.api.routes.runs.runs import scene_of
from rota.api.server.request import ApiRequest
from rota.engine.runs.find import now_ms
from rota.engine.runs.lists import RunPage, page
from rota.errors import BadInput
from rota.ids import is_id
from rota.model.states import State
from rota.model.view import Page
from rota.operations.instants import instant_ms_or_none
from rota.operations.paging import MOST, PAGE, page_start
from rota.store.base import Tx

DAY_MS = 86_400_000
LONGEST = 200
"""Characters of a part that is looked for."""
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
Part = Annotated[str | None, QueryParameter(min_length=1, max_length=LONGEST)]


@get("/runs", **needs("viewer"))
async def list_runs(  # noqa: PLR0913  # one filter each, all named
    request: ApiRequest,
    *,
    status: FromQuery[Status | None] = None,
    job: Annotated[str | None, QueryParameter(name="jobId")] = None,
    queue: FromQuery[str | None] = None,
    schedule: FromQuery[str | None] = None,
    parent: Annotated[str | None, QueryParameter(name="parentId")] = None,
    steps: FromQuery[bool] = True,
    error: Part = None,
    text: Part = None,
    since: FromQuery[datetime | None] = None,
    until: FromQuery[datetime | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
) -> Page[RunDocument]:
    """The newest first; `cursor` is the `next` of the page before.

    A page that would have to pass over very many runs is cut: it has fewer than `limit`, perhaps
    none, and its `next` goes on where it stopped. Only a `next` of null is the end.
    `parentId` is the run of a graph, whose nodes are meant; `steps=false` leaves out the runs of
    nodes, so that a graph is one run. `since` and `until` are about when runs
    were asked for. `status=running` finds runs of graphs whose nodes go on as well: their own
    status is `suspended`. `error` is a part of an error or its traceback; `text` is a part of the
    arguments or the key, of the last day if `since` does not say otherwise. Case does not matter.
    """
    start = page_start(cursor)
    if parent is not None and not is_id(parent):
        raise BadInput(f"parentId={parent!r:.64} is not the id of a run")
    span = {
        "since": instant_ms_or_none("since", since),
        "until": instant_ms_or_none("until", until),
    }
    scope = request.credential.queues
    if queue is not None and not request.credential.reaches(queue):
        return Page(items=[])

    def look(tx: Tx) -> Page[RunDocument]:
        if text is not None and since is None:
            span["since"] = now_ms(tx) - DAY_MS
        found = page(
            tx,
            namespace=request.namespace,
            state=None if status is None else State(status),
            job=job,
            queue=queue,
            queues=None if queue is not None else scope,
            schedule=schedule,
            parent=parent,
            steps=steps,
            error=error,
            text=text,
            before=start,
            limit=limit,
            **span,
        )
        return _documents(tx, request, found)

    return await request.read(look)


def _documents(tx: Tx, request: ApiRequest, found: RunPage) -> Page[RunDocument]:
    here = scene_of(tx, request, found.runs)
    items = [
        run_document(run, request.credential, holds=here, paused=run.id in found.paused)
        for run in found.runs
    ]
    return Page(items=items, next=found.next)


ROUTES = (list_runs,)
