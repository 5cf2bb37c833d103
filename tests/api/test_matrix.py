"""Every operation x every role x own and other namespace: who may do what, and no entry missing.

An operation that is added needs a row in EXAMPLES: how it is called and how that ends for somebody
who may. Everything else is generated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from rota.api.app import make_litestar
from rota.api.gate import PUBLIC, Operation, operations
from rota.api.options import ServerOptions
from rota.api.site import Site
from rota.app import App
from rota.app.tokens import draw_token
from rota.engine.acts import acts
from rota.engine.claim import claim
from rota.engine.finish import finish
from rota.engine.jobs import define
from rota.engine.namespaces import put_namespace
from rota.engine.submit import submit
from rota.engine.tokens import issue
from rota.engine.workers import NewWorker, register
from rota.ids import new_id
from rota.model.identity import LADDER, Quotas
from rota.model.run import NewRun, Verdict
from rota.model.spec import HttpTarget, JobSpec
from rota.store.base import Store
from tests.api.serving import HOME, OTHER, Served
from tests.contract.identities import by

HTTP = {"name": "hook", "http": {"url": "https://example.org"}}


class Example(NamedTuple):
    """How an operation is called; `{...}` stands for things that are there before."""

    good: int
    body: Any = None
    foreign: int | None = 404
    """When the things are another namespace's; None if it names no thing."""
    changes: bool = False
    dead: bool = False
    """Its run has failed for good."""


EXAMPLES: Mapping[tuple[str, str], Example] = {
    ("GET", "/api/v1/openapi.json"): Example(200, foreign=None),
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
    ("POST", "/api/v1/runs"): Example(201, {"jobId": "{job_id}"}, changes=True),
    ("POST", "/api/v1/runs/bulk"): Example(201, {"runs": [{"jobId": "{job_id}"}]}, changes=True),
    ("GET", "/api/v1/runs"): Example(200, foreign=None),
    ("GET", "/api/v1/runs/{run_id}"): Example(200),
    ("GET", "/api/v1/runs/{run_id}/attempts"): Example(200),
    ("GET", "/api/v1/runs/{run_id}/logs"): Example(200),
    ("GET", "/api/v1/runs/{run_id}/why"): Example(200),
    ("POST", "/api/v1/runs/{run_id}/cancel"): Example(200, changes=True),
    ("POST", "/api/v1/runs/{run_id}/rerun"): Example(409, changes=False),
    ("GET", "/api/v1/queues"): Example(200, foreign=None),
    ("POST", "/api/v1/queues/{queue}/pause"): Example(200, foreign=None, changes=True),
    ("POST", "/api/v1/queues/{queue}/resume"): Example(200, foreign=None, changes=True),
    ("GET", "/api/v1/workers"): Example(200, foreign=None),
    ("POST", "/api/v1/workers/{worker_id}/drain"): Example(200, changes=True),
    ("POST", "/api/v1/workers/{worker_id}/resume"): Example(200, changes=True),
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
    ("GET", "/api/v1/tokens"): Example(200, foreign=None),
    ("POST", "/api/v1/tokens"): Example(
        201, {"name": "ci", "roles": ["viewer"]}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/tokens/{token_id}"): Example(200, changes=True),
    ("GET", "/api/v1/namespaces"): Example(200, foreign=None),
    ("POST", "/api/v1/namespaces"): Example(
        201, {"name": "{new_namespace}"}, foreign=None, changes=True
    ),
    ("PUT", "/api/v1/namespaces/{namespace}"): Example(
        200, {"quotas": {"queued": 9}}, foreign=None, changes=True
    ),
    ("DELETE", "/api/v1/namespaces/{namespace}"): Example(200, foreign=None, changes=True),
}


def all_operations(folder: Path) -> list[Operation]:
    """As the application really serves them."""
    app = App(f"sqlite:///{folder}/never.db")
    return list(operations(make_litestar(Site(app, ServerOptions()))))


def plain(path: str) -> str:
    """`{run_id:str}` is `{run_id}`."""
    return path.replace(":str}", "}")


def test_each_operation_has_an_example_and_each_example_an_operation(tmp_path: Path) -> None:
    served = {(each.method, plain(each.path)) for each in all_operations(tmp_path)}

    assert served - PUBLIC == set(EXAMPLES)
    assert served >= PUBLIC


class Things:
    """What an example names, fresh for each call, in a namespace."""

    def __init__(self, store: Store, namespace: str, *, dead: bool = False) -> None:
        self.run_id = new_id()
        self.job_id = f"job-{self.run_id[-12:]}"
        self.worker_id = new_id()
        self.token = draw_token("theirs", roles=("viewer",)).token
        self.token_id = self.token.id
        target = HttpTarget(url="https://example.org")
        spec = JobSpec(name=self.job_id, target=target)
        run = NewRun(id=self.run_id, job=self.job_id if dead else "add", version=1)
        worker = NewWorker(
            id=self.worker_id, name="w", host="h", pid=1, queues=("default",), slots=1, version="1"
        )

        def make(tx: Any) -> None:
            define(tx, spec, namespace=namespace, origin="api")
            submit(tx, [run], namespace=namespace)
            register(tx, worker, namespace=namespace, lease_ms=60_000)
            issue(tx, self.token, namespace=namespace, by=by())
            put_namespace(tx, f"ns-{self.run_id[-12:]}", Quotas(), by=by())
            if dead:
                self._fail(tx, namespace)

        store.write(make)

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

    def fill(self, given: Any) -> Any:
        if isinstance(given, str):
            words = {
                "{run_id}": self.run_id,
                "{job_id}": self.job_id,
                "{job}": self.job_id,
                "{worker_id}": self.worker_id,
                "{token_id}": self.token_id,
                "{queue}": "mail",
                "{namespace}": f"ns-{self.run_id[-12:]}",
                "{new_namespace}": f"new-{self.run_id[-12:]}",
            }
            for word, meant in words.items():
                given = given.replace(word, meant)
            return given
        if isinstance(given, Mapping):
            return {key: self.fill(value) for key, value in given.items()}
        return [self.fill(value) for value in given] if isinstance(given, list) else given


def call(client: httpx2.Client, at: tuple[str, str], things: Things) -> httpx2.Response:
    example = EXAMPLES[at]
    body = {} if example.body is None else {"json": things.fill(example.body)}
    return client.request(at[0], things.fill(at[1]), **body)


@pytest.fixture
def role_of(tmp_path: Path) -> Callable[[tuple[str, str]], str]:
    needed = {(each.method, plain(each.path)): each.needs.role for each in all_operations(tmp_path)}
    return lambda at: needed[at] or ""


def test_who_may_do_what(served: Served, role_of: Callable[[tuple[str, str]], str]) -> None:
    """All in one server: a row of the matrix costs a few milliseconds, a server 300."""
    clients = {role: served.client(role) for role in LADDER}
    store = served.app.store
    wrong = []
    for at, example in EXAMPLES.items():
        for role, client in clients.items():
            may = LADDER.index(role) >= LADDER.index(role_of(at))
            wanted = example.good if may else 403
            answer = call(client, at, Things(store, HOME, dead=example.dead))
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
    for name in (things.run_id, things.job_id, things.worker_id, things.token_id):
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
        assert len(told) == example.changes, (at, answer.text, told)
        for act in told:
            assert act.request_id == answer.headers["X-Request-Id"]
            assert (act.who, act.address) == ("token:test", "127.0.0.1")
            assert act.after_digest
