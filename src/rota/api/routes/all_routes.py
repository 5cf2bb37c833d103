"""All routes of the server; a new file of routes is named here."""

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
