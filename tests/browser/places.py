"""Every page of the web UI, with something on it worth looking at."""

from __future__ import annotations

from tests.browser.site import Site
from tests.support.cli import eventually

PLAIN = {
    "overview": "/",
    "jobs": "/jobs",
    "job": "/jobs/greet",
    "job, runs": "/jobs/greet?tab=runs",
    "job, schedules": "/jobs/report?tab=schedules",
    "job, versions": "/jobs/greet?tab=versions",
    "job, definition": "/jobs/greet?tab=definition",
    "templates": "/jobs?tab=templates",
    "runs": "/runs",
    "runs, none": "/runs?text=nothing-of-the-kind",
    "graphs": "/graphs",
    "graph": "/graphs/order",
    "graph, definition": "/graphs/order?tab=graph",
    "queues": "/queues",
    "queue": "/queues/default",
    "queue, empty": "/queues/nobody-used-it",
    "workers": "/workers",
    "dead letters": "/dead-letters",
    "alerts": "/alerts",
    "alerts, closed": "/alerts?status=closed",
    "alert rules": "/alerts?tab=rules",
    "alert channels": "/alerts?tab=channels",
    "alert messages": "/alerts?tab=messages",
    "schedules": "/schedules",
    "schedules, week": "/schedules?tab=week",
    "schedules, backfills": "/schedules?tab=backfills",
    "schedules, calendars": "/schedules?tab=calendars",
    "schedules, maintenance": "/schedules?tab=windows",
    "schedules, no such tab": "/schedules?tab=nonsense",
    "schedule": "/schedules?edit=report",
    "monitors": "/monitors",
    "monitor": "/monitors?id=nightly",
    "audit": "/audit",
    "audit, none": "/audit?text=nothing-of-the-kind",
    "tokens": "/access",
    "tokens, past": "/access?past=true",
    "namespaces": "/access?tab=namespaces",
    "settings": "/settings",
    "nowhere": "/no/such/page",
}
OF_RUNS = {
    "run, log": "/runs/{good}?tab=log",
    "run, data": "/runs/{good}?tab=data",
    "run, attempts": "/runs/{good}?tab=attempts",
    "run, comparison": "/runs/{good}?tab=compare&with={bad}",
    "run, failed": "/runs/{bad}",
    "run, running": "/runs/{held}",
    "run, waiting": "/runs/{waiting}",
    "run of a graph": "/runs/{graph}",
    "run of a graph, gantt": "/runs/{graph}?tab=gantt",
    "run of a graph, steps": "/runs/{graph}?tab=children",
    "run of a graph, node": "/runs/{graph}?tab=graph&node=ship",
    "run of a graph, mapped node": "/runs/{graph}?tab=graph&node=pack",
    "dead letters of a cause": "/dead-letters?group={group}",
    "dead letter": "/dead-letters?group={group}&id={bad}",
    "worker": "/workers?id={worker}",
    "token": "/access?id={token}",
    "alert": "/alerts?id={alert}",
}
NAMES = (*PLAIN, *OF_RUNS)
FORMS = (
    ("jobs", "New job"),
    ("templates", "New template"),
    ("job", "Trigger"),
    ("run, failed", "Rerun"),
    ("run of a graph", "Rerun"),
    ("run of a graph, node", "Rerun from here"),
    ("run, running", "Cancel"),
    ("schedules", "New schedule"),
    ("schedules, calendars", "New calendar"),
    ("schedules, maintenance", "New window"),
    ("schedule", "Backfill"),
    ("monitors", "New monitor"),
    ("monitor", "Edit"),
    ("tokens", "New token"),
    ("namespaces", "New namespace"),
    ("dead letters of a cause", "Redrive"),
    ("alert rules", "New rule"),
    ("alert rules", "Edit"),
    ("alert channels", "New channel"),
    ("alert channels", "Test"),
)
"""Pages, and what opens a dialog on them."""


def furnish(site: Site) -> dict[str, str]:
    """Something of each kind; the addresses of all pages by their names."""
    folder = site.path()
    folder.mkdir()
    site.put("/monitors/nightly", cron="0 3 * * *", zone="Europe/Paris", note="the backup")
    site.post("/monitors/nightly/ping", exitStatus=3)
    site.put("/alert-channels/nowhere", url="http://127.0.0.1:9/hook", note="The phone on call.")
    site.put("/alert-rules/deliveries", on=["run.failed"], to=["nowhere"], jobs=["deliver"])
    bad = site.submit_and_wait("deliver", "failed", path=str(site.path()))
    known = {
        "good": site.submit_and_wait("greet", "success", name="Ada", times=3),
        "bad": bad,
        "graph": site.submit_and_wait("order", "failed", folder=str(folder)),
        "held": site.submit_and_wait("hold", "running", path=str(site.path())),
        "waiting": site.post("/runs", jobId="greet", args={"name": "Eve"}, delay="48h")[
            "executionId"
        ],
        "worker": site.get("/workers")["items"][0]["id"],
        "token": site.get("/tokens")["items"][0]["id"],
        "group": site.get(f"/dead-letters/{bad}")["group"],
        "alert": _incident(site),
    }
    return PLAIN | {name: path.format(**known) for name, path in OF_RUNS.items()}


def _incident(site: Site) -> str:
    """The id of the incident that the failed delivery opened."""
    eventually(lambda: site.get("/alerts?status=open")["items"], "an incident is open")
    return str(site.get("/alerts?status=open")["items"][0]["id"])
