"""How much data runs, schedules and events may bring: so much, and not a byte more."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import httpx2

from rota.api.server.options import ServerOptions
from rota.api.server.rate_limit import TokenBuckets
from rota.engine.identity.namespaces import put_namespace
from rota.model.identity.credentials import Quotas
from tests.api.events.streams import EVENTS, listening
from tests.api.serving import HOME, SAY, Served, serving

LIMIT = 256 * 1024
V1 = "/api/v1"


def filler(size: int) -> dict[str, Any]:
    """Arguments that take so many bytes; the signs at the end have more bytes than one."""
    bare = len(b'{"a":"","b":1}')
    return {"a": "é" * 100 + "x" * (size - bare - 200), "b": 1}


def ways(client: httpx2.Client, size: int) -> dict[str, httpx2.Response]:
    """Every call that brings arguments for something."""
    args = filler(size)
    bare = len('""')
    daily = {"job": "say", "expression": "@yearly"}
    client.put(f"{V1}/schedules/plain", json=daily | {"args": {"a": "x", "b": 1}})
    made = client.post(f"{V1}/runs", json={"jobId": "say", "args": {"a": "x", "b": 1}}).json()
    run_id = made["executionId"]
    client.post(f"{V1}/runs/{run_id}/cancel")
    return {
        "submit": client.post(f"{V1}/runs", json={"jobId": "say", "args": args}),
        "bulk": client.post(f"{V1}/runs/bulk", json={"runs": [{"jobId": "say", "args": args}]}),
        "trigger": client.post(f"{V1}/jobs/say/trigger", json={"args": args}),
        "rerun": client.post(f"{V1}/runs/{run_id}/rerun", json={"args": args}),
        "schedule": client.put(f"{V1}/schedules/large", json=daily | {"args": args}),
        "start": client.post(f"{V1}/schedules/plain/trigger", json={"args": args}),
        "event": client.post(
            f"{V1}/events", json={"event": "seen", "payload": "x" * (size - bare)}
        ),
    }


def test_a_body_over_the_size_limit_is_refused(served: Served) -> None:
    served.define(SAY)
    client = served.client()

    fits, over = ways(client, LIMIT), ways(client, LIMIT + 1)

    assert {name: each.status_code // 100 for name, each in fits.items()} == dict.fromkeys(fits, 2)
    assert {name: each.status_code for name, each in over.items()} == dict.fromkeys(fits, 413)
    for each in over.values():
        told = each.json()
        assert told["code"] == "payload-too-large"
        assert "262,145 bytes and the limit here is 262,144" in told["detail"]
        assert "max_payload" in told["detail"]


def test_a_server_or_a_namespace_may_allow_more_or_less(sqlite_url: str) -> None:
    def sends(served: Served, size: int) -> int:
        asked = {"jobId": "say", "args": filler(size)}
        return served.client().post(f"{V1}/runs", json=asked).status_code

    with serving(sqlite_url, payload_bytes=300_000) as served:
        served.define(SAY)
        assert [sends(served, size) for size in (300_000, 300_001)] == [201, 413]
        quotas = Quotas(payload=400_000)
        served.app.store.write(lambda tx: put_namespace(tx, HOME, quotas))
        served.site.submits._quotas.clear()
        assert [sends(served, size) for size in (400_000, 400_001)] == [201, 413]


def test_the_other_limits_are_those_that_are_promised(sqlite_url: str) -> None:
    options = ServerOptions()
    assert (options.payload_bytes, options.body_bytes) == (LIMIT, 1024 * 1024)
    assert (options.json_depth, options.header_bytes) == (32, 16 * 1024)
    assert (options.rate, options.streams, options.failures) == (100.0, 20, 10)
    buckets = TokenBuckets(clock=lambda: 0.0)
    waits = [buckets.take("c", rate=options.rate, burst=2 * options.rate) for _ in range(201)]
    assert waits == [0.0] * 200 + [0.01]


def test_the_twenty_first_stream_is_refused(sqlite_url: str) -> None:
    with serving(sqlite_url) as served, ExitStack() as open_ones:
        client = served.client("viewer")
        for _ in range(20):
            open_ones.enter_context(listening(client))
        assert client.get(EVENTS).status_code == 429
