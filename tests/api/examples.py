"""How each operation of the API is called.

An operation that is added needs a row in EXAMPLES: how it is called and how that ends for somebody
who may.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

HTTP = {"name": "hook", "http": {"url": "https://example.org"}}
FILE = {"name": "{job_id}.yaml", "text": "jobs: {fetch-{job_id}: {http: https://example.org}}"}
STREAM = "GET", "/api/v1/events"
WORKER_AT = "/api/v1/worker/{worker_id}"
ATTEMPT = {"runId": "{run_id}", "fence": "{fence}", "token": "{attempt}"}
CHUNK = {**ATTEMPT, "seq": 1, "firstAt": 0, "marks": "[1,0,1,0]", "body": "a line"}


class Example(NamedTuple):
    """How an operation is called; `{...}` stands for things that are there before."""

    good: int
    body: Any = None
    foreign: int | None = 404
    """When the things are another namespace's; None if it names no thing."""
    changes: bool = False
    query: str = ""
    dead: bool = False
    """Its run has failed for good."""
    held: bool = False
    """Its run is carried out by its worker, which came with the token of who asks."""


EXAMPLES: Mapping[tuple[str, str], Example] = {
    ("GET", "/"): Example(200, foreign=None),
    ("GET", "/{place}"): Example(200, foreign=None),
    ("GET", "/api/v1/openapi.json"): Example(200, foreign=None),
    ("GET", "/metrics"): Example(200, foreign=None),
    ("GET", "/docs"): Example(200, foreign=None),
    ("GET", "/docs/reference.js"): Example(200, foreign=None),
    ("GET", "/docs/reference.css"): Example(200, foreign=None),
    ("GET", "/api/v1/version"): Example(200, foreign=None),
    ("GET", "/api/v1/session"): Example(200, foreign=None),
    ("DELETE", "/api/v1/session"): Example(204, foreign=None),
    ("POST", "/api/v1/jobs"): Example(
        201, HTTP | {"name": "hook-{job_id}"}, foreign=None, changes=True
    ),
    ("PUT", "/api/v1/jobs/{job_id}"): Example(
        200, HTTP | {"name": "{job_id}", "priority": 3}, foreign=None, changes=True
    ),
    ("GET", "/api/v1/jobs"): Example(200, foreign=None),
    ("GET", "/api/v1/jobs/{job_id}"): Example(200),
    ("POST", "/api/v1/jobs/{job_id}/trigger"): Example(201, changes=True),
    ("DELETE", "/api/v1/jobs/{job_id}"): Example(200, changes=True),
    ("GET", "/api/v1/jobs/{job_id}/versions"): Example(200),
    ("GET", "/api/v1/jobs/{job_id}/versions/{old}/diff/{new}"): Example(200),
    ("POST", "/api/v1/jobs/{job_id}/rollback"): Example(200, {"version": 1}, changes=True),
    ("PUT", "/api/v1/jobs/{job_id}/weights"): Example(200, {"1": 1}, changes=True),
    ("POST", "/api/v1/jobs/{job_id}/pause"): Example(200, changes=True),
    ("POST", "/api/v1/jobs/{job_id}/resume"): Example(200),
    ("GET", "/api/v1/jobs/{job_id}/parameters"): Example(200),
    ("GET", "/api/v1/templates"): Example(200, foreign=None),
    ("GET", "/api/v1/templates/{name}"): Example(200),
    ("PUT", "/api/v1/templates/{name}"): Example(
        200, {"definition": HTTP}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/templates/{name}"): Example(200, changes=True),
    ("POST", "/api/v1/templates/{name}/instantiate"): Example(
        201, {"parameters": {"job": "{job_id}-made"}}, changes=True
    ),
    ("GET", "/api/v1/schedules"): Example(200, foreign=None),
    ("GET", "/api/v1/schedules/upcoming"): Example(200, foreign=None),
    ("POST", "/api/v1/schedules/preview"): Example(200, {"expression": "@daily"}, foreign=None),
    ("GET", "/api/v1/schedules/{name}"): Example(200),
    ("GET", "/api/v1/schedules/{name}/firings"): Example(200),
    ("PUT", "/api/v1/schedules/{name}"): Example(
        200, {"job": "{job_id}", "expression": "@daily"}, changes=True
    ),
    ("DELETE", "/api/v1/schedules/{name}"): Example(200, changes=True),
    ("POST", "/api/v1/schedules/{name}/pause"): Example(200, changes=True),
    ("POST", "/api/v1/schedules/{name}/resume"): Example(200, changes=False),
    ("POST", "/api/v1/schedules/{name}/unblock"): Example(200),
    ("POST", "/api/v1/schedules/{name}/trigger"): Example(201, changes=True),
    ("POST", "/api/v1/schedules/{name}/backfill"): Example(
        201, {"from": "2026-01-01", "until": "2026-01-03"}, changes=True
    ),
    ("GET", "/api/v1/backfills"): Example(200, foreign=None),
    ("GET", "/api/v1/backfills/{backfill_id}"): Example(200),
    ("POST", "/api/v1/backfills/{backfill_id}/cancel"): Example(200, changes=True),
    ("GET", "/api/v1/calendars"): Example(200, foreign=None),
    ("GET", "/api/v1/calendars/{name}"): Example(200),
    ("PUT", "/api/v1/calendars/{name}"): Example(
        200, {"off": ["2026-12-24"]}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/calendars/{name}"): Example(200, changes=True),
    ("GET", "/api/v1/alerts"): Example(200, foreign=None),
    ("GET", "/api/v1/alerts/{alert_id}"): Example(200),
    ("GET", "/api/v1/alert-rules"): Example(200, foreign=None),
    ("GET", "/api/v1/alert-rules/{name}"): Example(200),
    ("PUT", "/api/v1/alert-rules/{name}"): Example(
        200, {"on": ["run.failed"], "to": ["{name}"]}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/alert-rules/{name}"): Example(200, changes=True),
    ("GET", "/api/v1/alert-channels"): Example(200, foreign=None),
    ("PUT", "/api/v1/alert-channels/{name}"): Example(
        200, {"url": "https://example.org/hook"}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/alert-channels/{name}"): Example(200, changes=True),
    ("POST", "/api/v1/alert-channels/{name}/test"): Example(202, changes=True),
    ("GET", "/api/v1/alert-messages"): Example(200, foreign=None),
    ("GET", "/api/v1/monitors"): Example(200, foreign=None),
    ("GET", "/api/v1/monitors/{name}"): Example(200),
    ("PUT", "/api/v1/monitors/{name}"): Example(
        200, {"every": "1d", "grace": "2h"}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/monitors/{name}"): Example(200, changes=True),
    ("POST", "/api/v1/monitors/{name}/pause"): Example(200, changes=True),
    ("POST", "/api/v1/monitors/{name}/resume"): Example(200, changes=False),
    ("POST", "/api/v1/monitors/{name}/rotate"): Example(200, changes=True),
    ("POST", "/api/v1/monitors/{name}/ping"): Example(200, changes=True),
    ("GET", "/api/v1/monitors/{name}/pings"): Example(200),
    ("GET", "/api/v1/monitors/{name}/pings/{ping_number}"): Example(200),
    ("POST", "/api/v1/ping-key/rotate"): Example(200, foreign=None, changes=True),
    ("GET", "/api/v1/blackouts"): Example(200, foreign=None),
    ("GET", "/api/v1/blackouts/{name}"): Example(200),
    ("PUT", "/api/v1/blackouts/{name}"): Example(
        200, {"kind": "skip", "trigger": "@weekly", "duration": "1h"}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/blackouts/{name}"): Example(200, changes=True),
    ("POST", "/api/v1/runs"): Example(201, {"jobId": "{job_id}"}, changes=True),
    ("POST", "/api/v1/runs/bulk"): Example(201, {"runs": [{"jobId": "{job_id}"}]}, changes=True),
    ("GET", "/api/v1/runs"): Example(200, foreign=None),
    ("GET", "/api/v1/runs/{run_id}"): Example(200),
    ("GET", "/api/v1/runs/{run_id}/attempts"): Example(200),
    ("GET", "/api/v1/runs/{run_id}/logs"): Example(200),
    ("GET", "/api/v1/runs/{run_id}/why"): Example(200),
    ("GET", "/api/v1/effects"): Example(200, foreign=None),
    ("GET", "/api/v1/runs/{run_id}/effects"): Example(200),
    ("POST", "/api/v1/runs/{run_id}/effects/{name}/settle"): Example(
        404, {"done": True}, changes=False
    ),
    ("GET", "/api/v1/runs/{run_id}/timeline"): Example(200),
    ("GET", "/api/v1/logs"): Example(200, foreign=None, query="?q=x"),
    ("GET", "/api/v1/labels"): Example(200, foreign=None),
    ("POST", "/api/v1/runs/{run_id}/labels"): Example(
        200, {"labels": {"team": "billing"}}, changes=True
    ),
    ("GET", "/api/v1/views"): Example(200, foreign=None),
    ("GET", "/api/v1/views/{name}"): Example(200),
    ("PUT", "/api/v1/views/{name}"): Example(
        200, {"filter": {"status": "failed"}}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/views/{name}"): Example(200, changes=True),
    ("POST", "/api/v1/runs/{run_id}/cancel"): Example(200, changes=True),
    ("POST", "/api/v1/runs/{run_id}/rerun"): Example(409, changes=False),
    ("GET", "/api/v1/statistics/overview"): Example(200, foreign=None),
    ("GET", "/api/v1/statistics/forecast"): Example(200, foreign=None),
    ("GET", "/api/v1/jobs/{job_id}/statistics"): Example(200),
    ("POST", "/api/v1/session/link"): Example(201, foreign=None, changes=True),
    ("GET", "/api/v1/search"): Example(200, foreign=None, query="?q=x"),
    STREAM: Example(200, foreign=None),
    ("POST", "/api/v1/events"): Example(
        201, {"event": "orders.closed"}, foreign=None, changes=True
    ),
    ("POST", "/api/v1/files/plan"): Example(200, {"files": [FILE]}, foreign=None),
    ("POST", "/api/v1/files/apply"): Example(200, {"files": [FILE]}, foreign=None, changes=True),
    ("GET", "/api/v1/queues"): Example(200, foreign=None),
    ("GET", "/api/v1/queues/{queue}"): Example(200, foreign=None),
    ("POST", "/api/v1/queues/{queue}/pause"): Example(200, foreign=None, changes=True),
    ("POST", "/api/v1/queues/{queue}/resume"): Example(200, foreign=None, changes=True),
    ("GET", "/api/v1/workers"): Example(200, foreign=None),
    ("POST", "/api/v1/workers/{worker_id}/drain"): Example(200, changes=True),
    ("POST", "/api/v1/workers/{worker_id}/resume"): Example(200),
    ("POST", "/api/v1/worker/register"): Example(
        201,
        {
            "workerId": "{new_id}",
            "name": "w",
            "host": "h",
            "pid": 1,
            "version": "1",
            "slots": 1,
            "jobs": ["add"],
        },
        foreign=None,
    ),
    ("POST", f"{WORKER_AT}/claim"): Example(200, {"limit": 1}, foreign=None, held=True),
    ("POST", f"{WORKER_AT}/listen"): Example(200, foreign=None, held=True),
    ("POST", f"{WORKER_AT}/heartbeat"): Example(200, {"held": [ATTEMPT]}, foreign=None, held=True),
    ("POST", f"{WORKER_AT}/finish"): Example(
        200,
        {"ended": [{**ATTEMPT, "ending": "returned", "result": "1"}]},
        foreign=None,
        held=True,
    ),
    ("POST", f"{WORKER_AT}/logs"): Example(200, {"chunks": [CHUNK]}, foreign=None, held=True),
    ("POST", f"{WORKER_AT}/retire"): Example(200, foreign=None, held=True),
    ("POST", f"{WORKER_AT}/checkpoint"): Example(
        200, {**ATTEMPT, "state": "1"}, foreign=None, held=True
    ),
    ("POST", f"{WORKER_AT}/checkpoint/load"): Example(200, ATTEMPT, foreign=None, held=True),
    ("POST", f"{WORKER_AT}/labels"): Example(
        200, {**ATTEMPT, "labels": {"team": "billing"}}, foreign=None, held=True
    ),
    ("POST", f"{WORKER_AT}/effects"): Example(
        200, {**ATTEMPT, "verb": "intend", "name": "pay"}, foreign=None, held=True
    ),
    ("POST", f"{WORKER_AT}/last-success"): Example(200, ATTEMPT, foreign=None, held=True),
    ("GET", "/api/v1/dead-letters/groups"): Example(200, foreign=None),
    ("GET", "/api/v1/dead-letters"): Example(200, foreign=None),
    ("GET", "/api/v1/dead-letters/{run_id}"): Example(200, dead=True),
    ("POST", "/api/v1/dead-letters/{run_id}/redrive"): Example(201, dead=True, changes=True),
    ("POST", "/api/v1/dead-letters/{run_id}/discard"): Example(200, dead=True, changes=True),
    ("POST", "/api/v1/dead-letters/redrive"): Example(
        201, {"ids": ["{run_id}"]}, dead=True, changes=True
    ),
    ("POST", "/api/v1/dead-letters/discard"): Example(
        200, {"ids": ["{run_id}"]}, dead=True, changes=True
    ),
    ("GET", "/api/v1/releases"): Example(200, foreign=None),
    ("POST", "/api/v1/releases/{number}/use"): Example(404, changes=False),
    ("GET", "/api/v1/breakers"): Example(200, foreign=None),
    ("POST", "/api/v1/breakers/{job}/open"): Example(200, changes=True),
    ("POST", "/api/v1/breakers/{job}/close"): Example(200, changes=False),
    ("GET", "/api/v1/audit"): Example(200, foreign=None),
    ("GET", "/api/v1/audit/verify"): Example(200, foreign=None),
    ("POST", "/api/v1/audit/verify"): Example(200, {"anchors": []}, foreign=None),
    ("GET", "/api/v1/tokens"): Example(200, foreign=None),
    ("POST", "/api/v1/tokens"): Example(
        201, {"name": "ci", "roles": ["viewer"]}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/tokens/{token_id}"): Example(200, changes=True),
    ("POST", "/api/v1/tokens/{token_id}/rotate"): Example(201, {}, changes=True),
    ("GET", "/api/v1/namespaces"): Example(200, foreign=None),
    ("POST", "/api/v1/namespaces"): Example(
        201, {"name": "{new_namespace}"}, foreign=None, changes=True
    ),
    ("PUT", "/api/v1/namespaces/{namespace}"): Example(
        200, {"quotas": {"queued": 9}}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/namespaces/{namespace}"): Example(200, foreign=None, changes=True),
    ("POST", "/api/v1/runs/bulk/cancel"): Example(
        200, {"ids": ["{run_id}"]}, foreign=None, changes=True
    ),
    ("POST", "/api/v1/runs/bulk/rerun"): Example(
        200, {"ids": ["{run_id}"]}, foreign=None, dead=True, changes=True
    ),
    ("GET", "/api/v1/runs/{run_id}/nodes"): Example(200),
    ("POST", "/api/v1/runs/{run_id}/mark"): Example(
        409, {"node": "first", "as": "success"}, changes=False
    ),
    ("POST", "/api/v1/runs/{run_id}/pause"): Example(409, changes=False),
    ("POST", "/api/v1/runs/{run_id}/resume"): Example(409, changes=False),
    ("GET", "/api/v1/graphs"): Example(200, foreign=None),
    ("GET", "/api/v1/graphs/{graph}"): Example(200),
    ("GET", "/api/v1/graphs/{graph}/grid"): Example(200),
}
