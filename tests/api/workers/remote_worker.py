"""A worker without a database as a test plays it: requests by hand, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from rota.app import App
from rota.engine.runs.find import find
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget, RetryPolicy
from rota.model.runs.run import NewRun, RunView
from tests.api.serving import HOME, Served

RETRIED = JobSpec(
    name="retried",
    target=PythonTarget(ref="shop:retried"),
    retry=RetryPolicy(limit=1, delay_ms=3_600_000),
)


class Far:
    """Registered, with a token for some queues."""

    def __init__(
        self,
        served: Served,
        *,
        queues: Sequence[str] = ("default",),
        namespace: str = HOME,
        client: httpx2.Client | None = None,
        jobs: Sequence[str] = ("add", "retried"),
    ) -> None:
        self.served = served
        self.namespace = namespace
        self.client = client or served.client("worker", queues=queues, namespace=namespace)
        self.id = new_id()
        body = {"name": "w", "host": "h", "pid": 1, "version": "1", "slots": 4}
        self.registered = self.client.post(
            "/api/v1/worker/register", json={**body, "workerId": self.id, "jobs": list(jobs)}
        )
        assert self.registered.status_code == 201, self.registered.text

    def say(self, verb: str, body: Any = None, *, query: str = "") -> httpx2.Response:
        sent = {} if body is None else {"json": body}
        return self.client.post(f"/api/v1/worker/{self.id}/{verb}{query}", **sent)

    def good(self, verb: str, body: Any = None, *, query: str = "") -> dict[str, Any]:
        answer = self.say(verb, body, query=query)
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        return said

    def claim(self, limit: int = 10) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = self.good("claim", {"limit": limit})["runs"]
        return runs

    def claim_one(self) -> dict[str, Any]:
        (run,) = self.claim()
        return run

    def finish(self, run: dict[str, Any], **end: Any) -> httpx2.Response:
        return self.say("finish", {"ended": [{**attempt(run), **end}]})


def attempt(run: dict[str, Any]) -> dict[str, Any]:
    return {name: run[name] for name in ("runId", "fence", "token")}


def given_run(served: Served, *, namespace: str = HOME, **fields: Any) -> str:
    facts: dict[str, Any] = {"job": "add", "version": 1, "args": '{"a":1,"b":2}'}
    new = NewRun(id=new_id(), **facts | fields)
    served.app.store.write(lambda tx: submit(tx, [new], namespace=namespace))
    return new.id


def seen(app: App, run_id: str, *, namespace: str = HOME) -> RunView:
    return app.store.read(lambda tx: find(tx, run_id, namespace=namespace))
