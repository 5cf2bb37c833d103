"""Many runs stopped or repeated by one request, counted before if need be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from rota.api.runs.submit_batcher import SubmitBatcher
from rota.engine.identity.audit_log import acts
from rota.engine.identity.namespaces import put_namespace
from rota.errors import CommitUnknown
from rota.ids import new_id
from rota.model.identity.credentials import Quotas
from rota.store.base import ScopedStore, Tx
from tests.api.serving import HOME, OTHER, Served, some_key

RUNS = "/api/v1/runs"


def given_runs(client: httpx2.Client, count: int, **fields: Any) -> list[str]:
    asked = [{"jobId": "add", **fields}] * count
    made = client.post(f"{RUNS}/bulk", json={"runs": asked}).json()["runs"]
    return [each["executionId"] for each in made]


def act(client: httpx2.Client, verb: str, **body: Any) -> httpx2.Response:
    headers = body.pop("headers", {})
    return client.post(f"{RUNS}/bulk/{verb}", json=body, headers=headers)


def states(client: httpx2.Client) -> list[str]:
    return sorted(each["status"] for each in client.get(RUNS).json()["items"])


def test_runs_are_cancelled_by_their_ids(served: Served) -> None:
    client = served.client("operator")
    ids = given_runs(client, 3)

    done = act(client, "cancel", ids=[ids[0], ids[1], ids[1], new_id()], reason="enough")

    assert done.json() == {"matched": 3, "done": 2, "more": False, "dryRun": False}
    assert states(client) == ["cancelled", "cancelled", "queued"]
    assert client.get(f"{RUNS}/{ids[0]}").json()["reason"] == "enough"


def test_a_filter_is_counted_before_it_is_used(served: Served) -> None:
    client = served.client("operator")
    given_runs(client, 3)
    given_runs(client, 2, delay="1h")
    before = len(served.app.store.read(lambda tx: acts(tx, namespace=HOME)))
    wanted = {"status": "scheduled", "jobId": "add"}

    dry = act(client, "cancel", filter=wanted, dryRun=True)
    still = states(client)
    done = act(client, "cancel", filter=wanted)

    assert dry.json() == {"matched": 2, "done": 0, "more": False, "dryRun": True}
    assert still == ["queued"] * 3 + ["scheduled"] * 2
    assert done.json()["done"] == 2
    assert states(client) == ["cancelled"] * 2 + ["queued"] * 3
    known = served.app.store.read(lambda tx: acts(tx, namespace=HOME))
    assert len(known) == before + 1
    assert known[0].detail["filter"]["status"] == "scheduled"


def test_ended_runs_are_repeated_once_for_one_key(served: Served) -> None:
    client = served.client("operator")
    ids = given_runs(client, 3)
    act(client, "cancel", ids=ids[:2])
    key = {"Idempotency-Key": some_key()}

    done = [act(client, "rerun", ids=ids, headers=key) for _ in range(2)]

    assert [each.json()["done"] for each in done] == [2, 2]
    assert done[1].headers["Idempotency-Replayed"] == "true"
    found = client.get(RUNS, params={"status": "queued"}).json()["items"]
    assert sorted(each["rerunOf"] for each in found if each["rerunOf"]) == sorted(ids[:2])
    assert act(client, "rerun", filter={"status": "cancelled"}).json()["done"] == 2


def test_a_quota_holds_for_many_at_once(served: Served) -> None:
    client = served.client("operator")
    ids = given_runs(client, 3)
    act(client, "cancel", ids=ids)
    quota = Quotas(queued=2)
    served.app.store.write(lambda tx: put_namespace(tx, HOME, quota))

    answers = [act(client, "rerun", ids=ids), act(client, "rerun", ids=ids[:2])]

    assert [each.status_code for each in answers] == [429, 200]


class Breaking:
    """A room whose first commit takes place, and nobody hears of it."""

    def __init__(self, room: ScopedStore) -> None:
        self._room = room
        self.writes = 0
        self.read = room.read

    def write(self, work: Callable[[Tx], Any]) -> Any:
        answer = self._room.write(work)
        self.writes += 1
        if self.writes == 1:
            raise CommitUnknown
        return answer


def test_runs_that_were_recorded_after_all_do_not_fill_the_quota_for_themselves(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = served.client("operator")
    given_runs(client, 1)
    quota = Quotas(queued=3)
    served.app.store.write(lambda tx: put_namespace(tx, HOME, quota))
    served.site.submits = SubmitBatcher(served.site)  # the other one believes what it has read
    room = Breaking(served.site.room({HOME}))

    with monkeypatch.context() as patched:
        patched.setattr(served.site, "room", lambda _: room)
        made = client.post(f"{RUNS}/bulk", json={"runs": [{"jobId": "add"}] * 2})

    assert (room.writes, made.status_code) == (2, 201)
    assert states(client) == ["queued"] * 3
    refused = client.post(RUNS, json={"jobId": "add"})
    assert refused.status_code == 429


def test_only_what_the_credential_reaches_is_touched(served: Served) -> None:
    client = served.client("operator")
    ids = given_runs(client, 2)
    other = served.client("operator", namespace=OTHER)
    theirs = given_runs(other, 1)
    narrow = served.client("operator", queues=["elsewhere"])

    answers = [
        act(client, "cancel", ids=theirs),
        act(narrow, "cancel", ids=ids),
        act(narrow, "cancel", filter={"jobId": "add"}),
    ]

    assert [each.json()["done"] for each in answers] == [0, 0, 0]
    assert (states(client), states(other)) == (["queued"] * 2, ["queued"])


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "exactly one"),
        ({"ids": [], "filter": None}, "1 to 10,000"),
        ({"ids": ["x"]}, "not the id"),
        ({"filter": {}}, "empty"),
        ({"ids": [new_id()], "filter": {"jobId": "add"}}, "exactly one"),
        ({"filter": {"job": "add"}}, "unknown field `job`"),
        ({"filter": {"since": "2026-01-01T00:00:00"}}, "zone"),
    ],
)
@pytest.mark.parametrize("verb", ["cancel", "rerun"])
def test_a_bad_bulk_request_is_refused(
    shared: Served, verb: str, body: dict[str, Any], says: str
) -> None:
    answer = act(shared.client("operator"), verb, **body)

    assert answer.status_code == 400, answer.text
    assert says in answer.json()["detail"]
