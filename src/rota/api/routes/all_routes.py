"""All routes of the server; a new module of operations, or file of routes, is named here."""

from __future__ import annotations

from litestar.types import ControllerRouterHandler

from rota.api.routes import description, pages, reference
from rota.api.routes.events import live
from rota.api.routes.identity import login, oidc, session
from rota.api.routes.insight import health, metrics
from rota.api.routes.jobs import jobs
from rota.api.routes.monitors import ping
from rota.api.routes.runs import runs as shared_runs
from rota.api.routes.workers import remote, remote_runs, remote_services
from rota.api.server.operation_routes import routes_in
from rota.operations.admission import queues, windows
from rota.operations.alerts import channels as alert_channels
from rota.operations.alerts import incidents as alerts
from rota.operations.alerts import rules as alert_rules
from rota.operations.events import send
from rota.operations.failures import breakers, dead_letters
from rota.operations.graphs import graphs, nodes
from rota.operations.identity import audit, links, namespaces, tokens
from rota.operations.insight import search, statistics
from rota.operations.jobs import definitions as job_definitions
from rota.operations.jobs import files, releases, templates, versions
from rota.operations.jobs import jobs as job_operations
from rota.operations.logs import logs
from rota.operations.monitors import monitors, pings
from rota.operations.runs import effects, labels, reruns, runs, saved_views
from rota.operations.schedules import backfills, calendars, firings, schedules
from rota.operations.workers import workers

ROOT: tuple[ControllerRouterHandler, ...] = (
    *health.ROOT,
    *login.ROUTES,
    *oidc.ROUTES,
    *reference.ROUTES,
    *metrics.ROUTES,
    *ping.ROUTES,
    *pages.ROUTES,
)
"""Outside of /api/v1."""
API: tuple[ControllerRouterHandler, ...] = (
    *description.ROUTES,
    *health.ROUTES,
    *session.ROUTES,
    *jobs.ROUTES,
    *routes_in(job_definitions, job_operations, versions, templates, files),
    *shared_runs.ROUTES,
    *live.ROUTES,
    *remote.ROUTES,
    *remote_runs.ROUTES,
    *remote_services.ROUTES,
    *routes_in(labels, saved_views),
    *routes_in(runs, reruns, logs, effects, send, queues, workers, releases, dead_letters),
    *routes_in(nodes, graphs, schedules, firings, backfills, calendars, windows),
    *routes_in(alerts, alert_rules, alert_channels),
    *routes_in(monitors, pings),
    *routes_in(breakers, audit, tokens, links, namespaces, statistics, search),
)
