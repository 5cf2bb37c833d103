"""All routes of the server; a new module of operations, or file of routes, is named here."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from rota.api.routes import description, pages, reference
from rota.api.routes.admission import queues
from rota.api.routes.events import live, send
from rota.api.routes.failures import dead_letters
from rota.api.routes.identity import login, oidc, session
from rota.api.routes.insight import health, metrics
from rota.api.routes.jobs import jobs, releases
from rota.api.routes.logs import logs
from rota.api.routes.runs import lists, reruns, runs
from rota.api.routes.schedules import backfills, firings, schedules
from rota.api.routes.workers import remote, remote_runs, remote_services, workers
from rota.api.server.operation_routes import routes_in
from rota.operations.admission import windows
from rota.operations.failures import breakers
from rota.operations.graphs import graphs, nodes
from rota.operations.identity import audit, namespaces, tokens
from rota.operations.insight import search, statistics
from rota.operations.jobs import definitions as job_definitions
from rota.operations.jobs import files, templates, versions
from rota.operations.jobs import jobs as job_operations
from rota.operations.runs import effects
from rota.operations.schedules import calendars

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
    *routes_in(job_definitions, job_operations, versions, templates, files),
    *runs.ROUTES,
    *lists.ROUTES,
    *logs.ROUTES,
    *live.ROUTES,
    *send.ROUTES,
    *queues.ROUTES,
    *workers.ROUTES,
    *releases.ROUTES,
    *remote.ROUTES,
    *remote_runs.ROUTES,
    *remote_services.ROUTES,
    *dead_letters.ROUTES,
    *reruns.ROUTES,
    *schedules.ROUTES,
    *firings.ROUTES,
    *backfills.ROUTES,
    *routes_in(effects, breakers, audit, tokens, namespaces, calendars, windows),
    *routes_in(statistics, search, nodes, graphs),
)
