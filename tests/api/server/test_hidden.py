"""What answers never tell: what stands behind them, and what belongs to others.

Ids of other namespaces' things are tried in every place that the description names; with ROTA_FUZZ
all kinds of ids in each.
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

from rota.engine.identity.namespaces import put_namespace
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.identity.credentials import WORKER, Quotas
from rota.model.runs.run import NewRun
from rota.store.base import Store
from rota.store.postgres.tx import PostgresTx
from rota.store.sqlite.tx import SqliteTx
from tests.api.examples import EXAMPLES, STREAM, WORKER_AT
from tests.api.serving import HOME, OTHER, Served
from tests.api.test_matrix import plain
from tests.api.things import Things, call
from tests.contract.builders import run_sql

BROKEN = "select secret_column from secret_table where 'secret_text' = ''"
LEAKS = re.compile(
    r"secret_|select |from |rota\.(?:run|token|job)|traceback|\.py\b|/src/|apsw|psycopg"
    r"|sqlite|postgres|\w+(?:Error|Exception)\b",
    re.IGNORECASE,
)
ASKER = "asker"
ENDLESS = (STREAM, ("POST", f"{WORKER_AT}/listen"))
WORKERS = "/worker/"
"""What only workers are answered."""
CANARY = "belongs-to-others"
TABLES = (
    "run",
    "job",
    "job_template",
    "schedule",
    "worker",
    "token",
    "calendar",
    "blackout",
    "backfill",
    "queue",
    "dead_letter",
)
DEEPEST = 4


@pytest.mark.timeout(1200)
def test_an_error_of_the_database_tells_nothing_wherever_it_happens(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, worker = served.client(), served.client(WORKER, queues=("default",))
    owner = served.issued
    everything = {
        at: Things(served.app.store, HOME, dead=each.dead, owner=owner if each.held else "")
        for at, each in EXAMPLES.items()
    }
    is_broken = False
    for kind in (SqliteTx, PostgresTx):
        plain_run = kind._run

        def run(self: Any, name: str, params: Any, plain_run: Any = plain_run) -> Any:
            if is_broken and not name.startswith("credential_of"):
                self.raw(BROKEN)
            return plain_run(self, name, params)

        monkeypatch.setattr(kind, "_run", run)
    monkeypatch.setattr("rota.api.live.feed.PATIENCE_S", 0.05)
    for each in (client, worker):
        each.get("/api/v1/version")
    is_broken = True

    failed = 0
    for at, things in everything.items():
        answer = call(worker if WORKERS in at[1] else client, at, things)
        if answer.status_code >= 500:
            failed += 1
            told = answer.json()
            assert told["requestId"] == answer.headers["X-Request-Id"], at
            assert told["code"] in ("internal", "store-unavailable"), at
            assert not LEAKS.search(told["detail"] + told["remedy"] + told["title"]), told
            assert set(told) <= {"type", "title", "status", "code", "detail", "remedy", "requestId"}
    is_broken = False
    assert failed > len(EXAMPLES) * 0.7


@pytest.mark.timeout(1200)  # some seconds of a core, whenever a busy machine has that to give
def test_ids_of_others_mean_nothing_in_any_field(shared: Served) -> None:
    store = shared.app.store
    store.write(lambda tx: put_namespace(tx, ASKER, Quotas()))
    worker = shared.client(WORKER, namespace=ASKER, queues=("default",))
    token_id = shared.issued
    client = shared.client("admin", "exec", namespace=ASKER)
    shared.define(namespace=ASKER)
    description = client.get("/api/v1/openapi.json").json()
    theirs = Things(store, OTHER)
    foreign = new_id()
    run = NewRun(id=foreign, job="add", version=1, args=json.dumps({"a": CANARY}), key=CANARY)
    store.write(lambda tx: submit(tx, [run], namespace=OTHER))
    theirs.run_id = foreign
    owner = shared.client("viewer", namespace=OTHER)
    assert CANARY in owner.get(f"/api/v1/runs/{foreign}").text, "who may see it, does"
    before = _rows(store)
    tried = 0
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            at = method.upper(), plain(path)
            if at in ENDLESS or at not in EXAMPLES:
                continue
            own = Things(store, ASKER, owner=token_id if EXAMPLES[at].held else "")
            asks = worker if WORKERS in path else client
            for send in _requests(description, at, operation, own, theirs):
                answer = asks.request(at[0], send.path, params=send.query, json=send.body)
                tried += 1
                assert answer.status_code < 500, (at, send, answer.text)
                assert CANARY not in answer.text, (at, send)
    assert tried > 300
    assert _rows(store) == before, "nothing of theirs has changed"


class Sent:
    """One request with one thing of others in it."""

    def __init__(self, path: str, query: dict[str, str], body: Any) -> None:
        self.path, self.query, self.body = path, query, body

    def __repr__(self) -> str:
        return f"{self.path} {self.query} {json.dumps(self.body)}"


def _values(theirs: Things, place: str) -> list[str]:
    """What could be meant there; with ROTA_FUZZ all there is."""
    kinds = {
        "worker": theirs.worker_id,
        "token": theirs.token_id,
        "backfill": theirs.backfill_id,
        "graph": f"{theirs.name}-graph",
        "namespace": OTHER,
        "run": theirs.run_id,
        "id": theirs.run_id,
        "parent": theirs.run_id,
        "cursor": theirs.run_id,
    }
    if os.environ.get("ROTA_FUZZ"):
        return [*{*kinds.values(), theirs.job_id}]
    low = place.lower()
    if "job" in low:
        return [theirs.job_id]
    return [next((value for kind, value in kinds.items() if kind in low), theirs.job_id)]


def _requests(
    description: dict[str, Any],
    at: tuple[str, str],
    operation: dict[str, Any],
    own: Things,
    theirs: Things,
) -> Iterator[Sent]:
    example = EXAMPLES[at]
    path, body = own.fill(at[1]), own.fill(example.body)
    query = dict(pair.split("=") for pair in example.query[1:].split("&") if pair)
    for sign in re.findall(r"\{\w+\}", at[1]):
        for value in _values(theirs, sign):
            yield Sent(own.fill(at[1].replace(sign, value)), query, body)
    for each in operation.get("parameters", ()):
        if each["in"] == "query":
            for value in _values(theirs, each["name"]):
                yield Sent(path, query | {each["name"]: value}, body)
    schema = _schema(operation)
    for place in _places(description, schema) if schema else ():
        for value in _values(theirs, ".".join(map(str, place))):
            yield Sent(path, query, _with(body, place, value))


def _schema(operation: dict[str, Any]) -> dict[str, Any] | None:
    content = operation.get("requestBody", {}).get("content", {})
    found: dict[str, Any] | None = content.get("application/json", {}).get("schema")
    return found


def _places(
    description: dict[str, Any], schema: dict[str, Any], depth: int = 0
) -> Iterator[tuple[str | int, ...]]:
    """The way to each field, through lists and objects in each other."""
    while "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if depth > DEEPEST:
        return
    for other in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _places(description, other, depth + 1)
    for name, inner in schema.get("properties", {}).items():
        yield (name,)
        yield from ((name, *rest) for rest in _places(description, inner, depth + 1))
    if isinstance(schema.get("items"), dict):
        yield (0,)
        yield from ((0, *rest) for rest in _places(description, schema["items"], depth + 1))
    if isinstance(schema.get("additionalProperties"), dict):
        yield ("own",)


def _with(body: Any, place: tuple[str | int, ...], value: str) -> Any:
    """The good body, but for the value in this place."""
    if not place:
        return value
    first, *rest = place
    whole: Any = copy.deepcopy(body)
    if isinstance(first, int):
        whole = whole if isinstance(whole, list) and whole else [None]
        whole[0] = _with(whole[0], tuple(rest), value)
        return whole
    whole = whole if isinstance(whole, dict) else {}
    whole[first] = _with(whole.get(first), tuple(rest), value)
    return whole


def _rows(store: Store) -> dict[str, list[str]]:
    """All that the other namespace has, but for when its tokens were used."""
    found = {}
    for table in TABLES:
        columns = "id, name, digest, roles, queues, expires_at, revoked_at"
        what = columns if table == "token" else "*"
        text = f"select {what} from rota.{table} where namespace = '{OTHER}'"
        found[table] = sorted(map(str, run_sql(store.url, text)))
    return found
