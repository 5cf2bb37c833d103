"""Routes: thin, one file for each noun. This is how one looks.

    @get("/queues", **needs("viewer"))
    async def list_queues(request: Ask) -> Page[QueueDocument]:
        \"\"\"All queues with their depth.\"\"\"
        found = await request.read(lambda tx: queues(tx, namespace=request.namespace))
        return Page(items=[queue_document(each) for each in found])

    @post("/queues/{queue:str}/pause", **needs("operator", changes=True), status_code=200)
    async def pause_queue(
        request: Ask, queue: FromPath[str], data: JSONBody[PauseBody]
    ) -> QueueState:
        \"\"\"Start nothing new from this queue.\"\"\"

        def pause_it(tx: Tx, by: By) -> QueueState:
            pause(tx, queue, namespace=request.namespace, note=data.note)
            return QueueState(name=queue, is_paused=True)

        return await request.change("pause queue", queue, pause_it, answers=QueueState)

- `needs` names the role. It makes the check at the gate, the entry in the description and the row
  in tests/api/test_matrix.py: each operation must have a row in tests/api/examples.py.
- The namespace is `request.namespace`, from the credential; never a part of path, query or body. A
  run or a queue that the credential does not reach (`request.credential.reaches`) is unknown.
- `request.read(work)` and `request.change(verb, subject, work, answers=...)` run `work(tx)` in a
  thread, in one transaction. A change writes its act and obeys an Idempotency-Key by itself; if the
  verb records an act of its own, give it the `by` that `work` is called with: the act is one.
- Bodies and answers are structs of `rota.api.server.documents` (`Body`, `Document`): camelCase,
  unknown fields refused, defaults left out of nothing. Times are ISO 8601 in UTC.
- Errors are those of rota.errors; rota.api.server.problems says which status they are.
- Names in paths go through `named()`, as they may hold a slash that was sent as %2F.

A new file is added to API below; that is all.
"""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from rota.api.routes import description, pages, reference
from rota.api.routes.admission import queues
from rota.api.routes.events import live, send
from rota.api.routes.failures import breakers, dead_letters
from rota.api.routes.graphs import graphs, nodes, timelines
from rota.api.routes.identity import audit, login, namespaces, oidc, session, tokens
from rota.api.routes.insight import health, metrics, search, statistics
from rota.api.routes.jobs import files, jobs, releases, templates, versions
from rota.api.routes.logs import logs
from rota.api.routes.runs import effects, lists, reruns, runs
from rota.api.routes.schedules import backfills, calendars, firings, schedules, windows
from rota.api.routes.workers import remote, remote_runs, remote_services, workers

ROOT: tuple[ControllerRouterHandler, ...] = (
    *health.ROOT,
    *login.ROUTES,
    *oidc.ROUTES,
    *reference.ROUTES,
    *metrics.ROUTES,
    *pages.ROUTES,
)
"""Outside of /api/v1."""
API: tuple[ControllerRouterHandler, ...] = (
    *description.ROUTES,
    *health.ROUTES,
    *session.ROUTES,
    *jobs.ROUTES,
    *versions.ROUTES,
    *templates.ROUTES,
    *files.ROUTES,
    *runs.ROUTES,
    *lists.ROUTES,
    *timelines.ROUTES,
    *logs.ROUTES,
    *live.ROUTES,
    *send.ROUTES,
    *statistics.ROUTES,
    *search.ROUTES,
    *queues.ROUTES,
    *workers.ROUTES,
    *releases.ROUTES,
    *remote.ROUTES,
    *remote_runs.ROUTES,
    *remote_services.ROUTES,
    *dead_letters.ROUTES,
    *effects.ROUTES,
    *breakers.ROUTES,
    *audit.ROUTES,
    *tokens.ROUTES,
    *namespaces.ROUTES,
    *reruns.ROUTES,
    *nodes.ROUTES,
    *graphs.ROUTES,
    *schedules.ROUTES,
    *firings.ROUTES,
    *backfills.ROUTES,
    *calendars.ROUTES,
    *windows.ROUTES,
)
