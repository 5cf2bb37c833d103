"""Every operation x every role x own and other namespace: who may do what, and no entry missing.

An operation that is added needs a row in EXAMPLES: how it is called and how that ends for somebody
who may. Everything else is generated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from rota.api.app import make_litestar
from rota.api.gate import PUBLIC, Needs, Operation, operations
from rota.api.options import ServerOptions
from rota.api.site import Site
from rota.app import App
from rota.app.tokens import draw_token
from rota.engine import schedules
from rota.engine.acts import acts
from rota.engine.backfill import start_backfill
from rota.engine.backfill_range import Range
from rota.engine.blackouts import put_blackout
from rota.engine.calendars import put_calendar
from rota.engine.claim import claim
from rota.engine.finish import finish
from rota.engine.jobs import define
from rota.engine.namespaces import put_namespace
from rota.engine.remote import enlist, find_remote
from rota.engine.submit import submit
from rota.engine.templates import put_template
from rota.engine.timetables import Timetables
from rota.engine.tokens import issue
from rota.engine.workers import NewWorker, register
from rota.ids import new_id
from rota.model.graph import Graph, Node
from rota.model.identity import LADDER, WORKER, Quotas, Role
from rota.model.run import NewRun, Verdict
from rota.model.schedule import Blackout, Calendar, Cron, Schedule
from rota.model.spec import GraphTarget, HttpTarget, JobSpec
from rota.model.template import Blank, Template
from rota.rules.attempt_tokens import Facts, make_token
from rota.store.base import Store
from tests.api.serving import HOME, OTHER, Served
from tests.contract.identities import by

DAY_MS = 86_400_000
TABLES = Timetables("test", lambda: 0.5)
WINDOW = Blackout(kind="skip", trigger=Cron(expression="@yearly"), duration="1ms")
HTTP = {"name": "hook", "http": {"url": "https://example.org"}}


FILE = {"name": "rota.yaml", "text": "jobs: {fetch: {http: https://example.org}}"}
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
    ("POST", "/api/v1/jobs"): Example(201, HTTP, foreign=None, changes=True),
    ("PUT", "/api/v1/jobs/{job_id}"): Example(
        200, HTTP | {"name": "{job_id}"}, foreign=None, changes=True
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
    ("POST", "/api/v1/jobs/{job_id}/resume"): Example(200, changes=True),
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
    ("POST", "/api/v1/schedules/{name}/resume"): Example(200, changes=True),
    ("POST", "/api/v1/schedules/{name}/unblock"): Example(200, changes=True),
    ("POST", "/api/v1/schedules/{name}/trigger"): Example(201, changes=True),
    ("POST", "/api/v1/schedules/{name}/backfill"): Example(
        201, {"from": "2026-01-01", "until": "2026-01-03"}, changes=True
    ),
    ("GET", "/api/v1/backfills"): Example(200, foreign=None),
    ("GET", "/api/v1/backfills/{backfill_id}"): Example(200),
    ("POST", "/api/v1/backfills/{backfill_id}/cancel"): Example(200, changes=True),
    ("GET", "/api/v1/calendars"): Example(200, foreign=None),
    ("GET", "/api/v1/calendars/{name}"): Example(200),
    ("PUT", "/api/v1/calendars/{name}"): Example(200, {}, foreign=None, changes=True),
    ("DELETE", "/api/v1/calendars/{name}"): Example(200, changes=True),
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
    ("GET", "/api/v1/runs/{run_id}/timeline"): Example(200),
    ("GET", "/api/v1/logs"): Example(200, foreign=None, query="?q=x"),
    ("POST", "/api/v1/runs/{run_id}/cancel"): Example(200, changes=True),
    ("POST", "/api/v1/runs/{run_id}/rerun"): Example(409, changes=False),
    ("GET", "/api/v1/statistics/overview"): Example(200, foreign=None),
    ("GET", "/api/v1/statistics/forecast"): Example(200, foreign=None),
    ("GET", "/api/v1/jobs/{job_id}/statistics"): Example(200),
    ("GET", "/api/v1/search"): Example(200, foreign=None, query="?q=x"),
    STREAM: Example(200, foreign=None),
    ("POST", "/api/v1/events"): Example(
        201, {"event": "orders.closed"}, foreign=None, changes=True
    ),
    ("POST", "/api/v1/files/plan"): Example(200, {"files": [FILE]}, foreign=None),
    ("POST", "/api/v1/files/apply"): Example(200, {"files": [FILE]}, foreign=None, changes=True),
    ("GET", "/api/v1/queues"): Example(200, foreign=None),
    ("POST", "/api/v1/queues/{queue}/pause"): Example(200, foreign=None, changes=True),
    ("POST", "/api/v1/queues/{queue}/resume"): Example(200, foreign=None, changes=True),
    ("GET", "/api/v1/workers"): Example(200, foreign=None),
    ("POST", "/api/v1/workers/{worker_id}/drain"): Example(200, changes=True),
    ("POST", "/api/v1/workers/{worker_id}/resume"): Example(200, changes=True),
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
    ("GET", "/api/v1/breakers"): Example(200, foreign=None),
    ("POST", "/api/v1/breakers/{job}/open"): Example(200, changes=True),
    ("POST", "/api/v1/breakers/{job}/close"): Example(200, changes=True),
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
        200, {"ids": ["{run_id}"]}, foreign=None, changes=True
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


def all_operations(folder: Path) -> list[Operation]:
    """As the application really serves them."""
    app = App(f"sqlite:///{folder}/never.db")
    return list(operations(make_litestar(Site(app, ServerOptions()))))


def plain(path: str) -> str:
    """`{run_id:str}` is `{run_id}`, and so with `:int` and `:path`."""
    return re.sub(r":(str|int|path)}", "}", path)


def test_each_operation_has_an_example_and_each_example_an_operation(tmp_path: Path) -> None:
    served = {(each.method, plain(each.path)) for each in all_operations(tmp_path)}

    assert served - PUBLIC == set(EXAMPLES)
    assert served >= PUBLIC


def given_schedule(tx: Any, name: str, *, namespace: str, job: str) -> None:
    """One that never fires by itself while the tests run."""
    schedules.put(
        tx,
        name,
        Schedule(trigger=Cron(expression="@yearly")),
        namespace=namespace,
        job=job,
        origin="api",
        who="test",
        timetables=TABLES,
        new_id=new_id,
    )


class Things:
    """What an example names, fresh for each call, in a namespace."""

    def __init__(
        self, store: Store, namespace: str, *, dead: bool = False, owner: str = ""
    ) -> None:
        self.run_id = new_id()
        self.job_id = f"job-{self.run_id[-12:]}"
        self.worker_id = new_id()
        self.token = draw_token("theirs", roles=("viewer",)).token
        self.token_id = self.token.id
        self.name = self.job_id
        """Of whatever else has one."""
        self.backfill_id = new_id()
        self.fence, self.attempt = 1, "none"
        target = HttpTarget(url="https://example.org")
        spec = JobSpec(name=self.job_id, target=target)
        run = NewRun(id=self.run_id, job=self.job_id if dead else "add", version=1)
        worker = NewWorker(
            id=self.worker_id, name="w", host="h", pid=1, queues=("default",), slots=1, version="1"
        )

        template = Template(definition=HTTP | {"name": "${job}"}, parameters={"job": Blank()})

        def make(tx: Any) -> None:
            define(tx, spec, namespace=namespace, origin="api")
            graph = Graph(name=f"{self.name}-graph", nodes=(Node(name="n", job=self.job_id),))
            whole = JobSpec(name=graph.name, target=GraphTarget(graph=graph))
            define(tx, whole, namespace=namespace, origin="api")
            put_template(tx, self.name, template, namespace=namespace, who="test")
            put_calendar(tx, self.name, Calendar(), namespace=namespace)
            put_blackout(tx, self.name, WINDOW, namespace=namespace)
            given_schedule(tx, self.name, namespace=namespace, job=self.job_id)
            start_backfill(
                tx,
                self.name,
                Range(from_at=0, to_at=DAY_MS),
                namespace=namespace,
                backfill_id=self.backfill_id,
                timetables=TABLES,
            )
            submit(tx, [run], namespace=namespace)
            if owner:
                at = {"namespace": namespace, "token_id": owner, "key": "00" * 32}
                enlist(tx, worker, lease_ms=60_000, **at)
            else:
                register(tx, worker, namespace=namespace, lease_ms=60_000)
            issue(tx, self.token, namespace=namespace, by=by())
            put_namespace(tx, f"ns-{self.run_id[-12:]}", Quotas(), by=by())
            if dead:
                self._fail(tx, namespace)
            if owner:
                self._hold(tx, namespace, owner)

        store.write(make)

    def _hold(self, tx: Any, namespace: str, owner: str) -> None:
        """The worker is that of a token, and has the run."""
        worker = find_remote(tx, self.worker_id, namespace=namespace, token_id=owner)
        where: dict[str, Any] = {"namespace": namespace, "queues": ["default"]}
        while True:  # runs of others wait before ours
            (lease,) = claim(tx, jobs='["add"]', worker_id=self.worker_id, limit=1, **where)
            if lease.run_id == self.run_id:
                break
        self.fence = lease.fence
        facts = Facts(lease.job, lease.attempt, lease.claimed_at)
        self.attempt = make_token(worker.seal, self.run_id, self.fence, facts)

    def _fail(self, tx: Any, namespace: str) -> None:
        at: dict[str, Any] = {
            "namespace": namespace,
            "queues": ["default"],
            "worker_id": self.worker_id,
        }
        (lease,) = claim(tx, jobs=json.dumps([self.job_id]), limit=1, **at)
        error = '{"type":"ValueError","message":"broken"}'
        verdict = Verdict(run_id=lease.run_id, fence=lease.fence, verb="fail", error=error)
        finish(tx, [verdict], namespace=namespace)

    def known(self) -> dict[str, str]:
        """What stands for what."""
        return {
            "{run_id}": self.run_id,
            "{job_id}": self.job_id,
            "{name}": self.name,
            "{backfill_id}": self.backfill_id,
            "{graph}": f"{self.name}-graph",
            "{old}": "1",
            "{new}": "1",
            "{job}": self.job_id,
            "{worker_id}": self.worker_id,
            "{token_id}": self.token_id,
            "{queue}": "mail",
            "{namespace}": f"ns-{self.run_id[-12:]}",
            "{new_namespace}": f"new-{self.run_id[-12:]}",
            "{new_id}": new_id(),
            "{attempt}": self.attempt,
        }

    def fill(self, given: Any) -> Any:
        if given == "{fence}":
            return self.fence
        if isinstance(given, str):
            for sign, value in self.known().items():
                given = given.replace(sign, value)
            return given
        if isinstance(given, Mapping):
            return {key: self.fill(value) for key, value in given.items()}
        return [self.fill(value) for value in given] if isinstance(given, list) else given


def call(client: httpx2.Client, at: tuple[str, str], things: Things) -> httpx2.Response:
    example = EXAMPLES[at]
    body = {} if example.body is None else {"json": things.fill(example.body)}
    if at != STREAM:
        return client.request(at[0], things.fill(at[1]) + example.query, **body)
    with client.stream(at[0], at[1]) as answer:
        if answer.status_code != 200:
            answer.read()
        return answer


@pytest.fixture
def needed(tmp_path: Path) -> Mapping[tuple[str, str], Needs]:
    return {(each.method, plain(each.path)): each.needs for each in all_operations(tmp_path)}


def may(role: Role, needs: Needs) -> bool:
    """The ladder counts upwards; a worker is not on it, and nobody on it is a worker."""
    if needs.everybody:
        return True
    if WORKER in (role, needs.role):
        return role == needs.role
    least = "admin" if needs.role == "audit" else needs.role
    return LADDER.index(role) >= LADDER.index(least or "viewer")


def test_who_may_do_what(served: Served, needed: Mapping[tuple[str, str], Needs]) -> None:
    """All in one server: a row of the matrix costs a few milliseconds, a server 300."""
    clients = {}
    for role in (*LADDER, WORKER):
        queues = ("default",) if role == WORKER else None
        clients[role] = served.client(role, queues=queues), served.issued
    store = served.app.store
    wrong = []
    untouched = Things(store, HOME)
    for at, example in EXAMPLES.items():
        for role, (client, token_id) in clients.items():
            is_good = may(role, needed[at])
            wanted = example.good if is_good else 403
            owner = token_id if example.held else ""
            things = Things(store, HOME, dead=example.dead, owner=owner) if is_good else untouched
            answer = call(client, at, things)
            if answer.status_code != wanted:
                wrong.append((at, role, wanted, answer.status_code, answer.text[:200]))
    assert wrong == []


def test_what_belongs_to_others_is_not_there(served: Served) -> None:
    client = served.client("admin", "exec")
    store = served.app.store
    for at, example in EXAMPLES.items():
        if example.foreign is None:
            continue
        theirs, nobodys = (Things(store, OTHER, dead=example.dead) for _ in range(2))
        nobodys.run_id, nobodys.job_id = new_id(), theirs.job_id[:-1] + "x"
        nobodys.worker_id = nobodys.token_id = new_id()
        nobodys.name, nobodys.backfill_id = nobodys.job_id, new_id()
        before = len(store.read(lambda tx: acts(tx, namespace=OTHER)))

        foreign, unknown = call(client, at, theirs), call(client, at, nobodys)

        assert foreign.status_code == unknown.status_code == example.foreign, at
        assert foreign.json()["code"] == unknown.json()["code"]
        assert _told(foreign, theirs) == _told(unknown, nobodys)
        after = len(store.read(lambda tx: acts(tx, namespace=OTHER)))
        assert after == before, "nothing of theirs was touched"


def _told(answer: httpx2.Response, things: Things) -> dict[str, Any]:
    """What it says, but for the names that were asked for."""
    text = answer.text
    ids = (things.run_id, things.job_id, things.worker_id, things.token_id, things.backfill_id)
    for name in (*ids, things.name):
        text = text.replace(name, "it")
    told: dict[str, Any] = json.loads(text)
    return told | {"requestId": None}


def test_nobody_gets_in_without_a_credential(served: Served) -> None:
    store = served.app.store
    expired = served.anyone(Authorization=f"Bearer {served.token('admin', expires='1ms')}")
    bad = served.anyone(Authorization="Bearer rota_guess")
    for at in EXAMPLES:
        things = Things(store, HOME)
        served.site.buckets._held.clear()  # bad credentials are counted, not the subject here
        answers = [call(each, at, things) for each in (served.anyone(), bad, expired)]
        assert [each.status_code for each in answers] == [401] * 3, at
        assert {each.json()["code"] for each in answers} == {"not-signed-in"}
        assert all("WWW-Authenticate" in each.headers for each in answers)


def test_each_change_is_in_the_audit_once(served: Served) -> None:
    client = served.client("admin", "exec")
    store = served.app.store
    for at, example in EXAMPLES.items():
        things = Things(store, HOME, dead=example.dead)
        known = {each.id for each in store.read(lambda tx: acts(tx, namespace=HOME, limit=500))}
        answer = call(client, at, things)
        told = [
            each
            for each in store.read(lambda tx: acts(tx, namespace=HOME, limit=500))
            if each.id not in known
        ]
        assert len(told) == example.changes, (at, told)
        for act in told:
            assert act.request_id == answer.headers["X-Request-Id"]
            assert (act.who, act.address) == ("token:test", "127.0.0.1")
            assert act.after_digest


def test_each_post_is_done_once_under_its_key(served: Served) -> None:
    """Sent again with the same Idempotency-Key, whatever it is about."""
    store = served.app.store
    secret = served.token("admin", "exec")
    posts = [at for at, example in EXAMPLES.items() if at[0] == "POST" and example.changes]
    for at in posts:
        things = Things(store, HOME, dead=EXAMPLES[at].dead)
        keyed = served.anyone(
            Authorization=f"Bearer {secret}", **{"Idempotency-Key": f"{at} {things.run_id}"}
        )
        first = call(keyed, at, things)
        before = ids_of_acts(store)
        again = call(keyed, at, things)

        assert again.status_code == first.status_code == EXAMPLES[at].good, at
        assert again.headers.get("Idempotency-Replayed") == "true", at
        assert _secretless(again) == _secretless(first), at
        assert ids_of_acts(store) == before, at
    assert len(posts) > 25


def ids_of_acts(store: Store) -> list[str]:
    """Not the acts: they may get their place in the chain meanwhile."""
    return [each.id for each in store.read(lambda tx: acts(tx, namespace=HOME, limit=500))]


def _secretless(answer: httpx2.Response) -> dict[str, Any]:
    """A token is in the first answer only."""
    told: dict[str, Any] = answer.json()
    return told | {"token": None} if "token" in told else told
