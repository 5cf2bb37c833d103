"""Runs over HTTP: asked for once, whatever happens on the way; seen by those who may."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import msgspec
import pytest

from rota.engine.identity.audit_log import acts
from rota.engine.identity.namespaces import put_namespace
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.ids import new_id
from rota.model.identity.credentials import Quotas
from rota.model.runs.run import ErrorDetail, Verdict
from tests.api.serving import HOME, OTHER, SAY, Served, some_key
from tests.contract.builders import given_worker

RUNS = "/api/v1/runs"


def submit(client: httpx2.Client, **body: Any) -> httpx2.Response:
    headers = body.pop("headers", {})
    return client.post(RUNS, json={"jobId": "add", **body}, headers=headers)


def finish_one(served: Served, error: str | None = None) -> str:
    """Carry out the next run, as a worker would; it fails with the error, if there is one."""
    store = served.app.store
    worker = given_worker(store)
    (lease,) = store.write(
        lambda tx: claim(
            tx, namespace=HOME, queues=["default"], jobs='["add"]', worker_id=worker, limit=1
        )
    )
    said = {"verb": "succeed", "result": "3"} if error is None else {"verb": "fail", "error": error}
    done = Verdict(run_id=lease.run_id, fence=lease.fence, **said)  # type: ignore[arg-type]  # one or the other
    store.write(lambda tx: finish(tx, [done], namespace=HOME))
    return lease.run_id


def test_a_run_is_made_and_shown_until_it_has_ended(served: Served) -> None:
    client = served.client("operator")

    made = submit(client, args={"a": 1, "b": 2}, priority="high")

    assert made.status_code == 201
    run_id = made.json()["executionId"]
    assert made.json() == {"executionId": run_id, "status": "queued", "isNew": True}
    shown = client.get(f"{RUNS}/{run_id}").json()
    assert (shown["jobId"], shown["args"], shown["priority"]) == ("add", {"a": 1, "b": 2}, 10)
    assert finish_one(served) == run_id
    ended = client.get(f"{RUNS}/{run_id}").json()
    assert (ended["status"], ended["result"]) == ("success", 3)
    assert ended["finishedAt"].endswith("Z")


def test_a_start_can_be_put_off(served: Served) -> None:
    client = served.client("operator")
    when = datetime.now(UTC) + timedelta(hours=1)

    for body in ({"delay": "10m"}, {"at": when.isoformat()}):
        made = submit(client, **body)
        assert made.json()["status"] == "scheduled", made.text


def test_waiting_ends_with_the_run(served: Served) -> None:
    client = served.client("operator")
    run_id = submit(client).json()["executionId"]

    with ThreadPoolExecutor(4) as crowd:
        waits = [crowd.submit(client.get, f"{RUNS}/{run_id}?wait=20s") for _ in range(4)]
        finish_one(served)
        answers = [wait.result().json() for wait in waits]

    assert [answer["status"] for answer in answers] == ["success"] * 4


def test_waiting_ends_in_time_with_the_run_as_it_is(served: Served) -> None:
    client = served.client("operator")
    run_id = submit(client).json()["executionId"]

    assert client.get(f"{RUNS}/{run_id}?wait=10ms").json()["status"] == "queued"
    assert client.get(f"{RUNS}/{run_id}?wait=2m").json()["code"] == "bad-input"


def test_the_same_request_again_is_the_same_run_also_at_the_same_moment(served: Served) -> None:
    client = served.client("operator")
    key = {"Idempotency-Key": some_key()}

    with ThreadPoolExecutor(8) as crowd:
        asks = [crowd.submit(submit, client, args={"a": 1}, headers=key) for _ in range(16)]
        answers = [ask.result() for ask in asks]

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["executionId"] for answer in answers}) == 1
    fresh = [each for each in answers if "Idempotency-Replayed" not in each.headers]
    assert len(fresh) == 1
    assert len(client.get(RUNS).json()["items"]) == 1
    told = served.app.store.read(lambda tx: acts(tx, namespace=HOME, verb="submit"))
    assert len(told) == 1


def test_a_key_with_another_request_is_refused_and_a_refused_request_frees_its_key(
    served: Served,
) -> None:
    client = served.client("operator")
    key = {"Idempotency-Key": some_key()}
    assert submit(client, args={"z": 1}, headers=key).status_code == 422
    assert submit(client, args={"a": 1}, headers=key).status_code == 201

    other = submit(client, args={"a": 2}, headers=key)

    assert (other.status_code, other.json()["code"]) == (422, "key-reused")
    assert len(client.get(RUNS).json()["items"]) == 1


def test_keys_of_two_namespaces_are_not_each_others(served: Served) -> None:
    key = {"Idempotency-Key": "k"}
    here = submit(served.client("operator"), headers=key).json()
    there = submit(served.client("operator", namespace=OTHER), headers=key).json()

    assert here["executionId"] != there["executionId"]


def test_many_at_once_are_all_or_none(served: Served) -> None:
    client = served.client("operator")
    good = {"jobId": "add", "args": {"a": 1}}

    bad = client.post(f"{RUNS}/bulk", json={"runs": [good, {"jobId": "nope"}]})
    empty = client.post(f"{RUNS}/bulk", json={"runs": []})
    assert (bad.status_code, empty.status_code) == (404, 400)
    assert client.get(RUNS).json()["items"] == []
    made = client.post(f"{RUNS}/bulk", json={"runs": [good] * 300})

    assert len({each["executionId"] for each in made.json()["runs"]}) == 300


def test_a_run_key_of_other_arguments_is_refused_by_itself(served: Served) -> None:
    client = served.client("operator")
    first = submit(client, args={"a": 1}, key="order-1").json()

    again = submit(client, args={"a": 1}, key="order-1").json()
    other = submit(client, args={"a": 2}, key="order-1")
    bulk = client.post(
        f"{RUNS}/bulk",
        json={"runs": [{"jobId": "add", "args": {"a": 2}, "key": "order-1"}, {"jobId": "add"}]},
    ).json()

    assert (again["executionId"], again["isNew"]) == (first["executionId"], False)
    assert (other.status_code, other.json()["code"]) == (409, "duplicate-key")
    assert [each["status"] for each in bulk["runs"]] == ["refused", "queued"]
    assert bulk["runs"][0]["executionId"] == first["executionId"]


def test_pages_follow_each_other_and_filters_narrow_them(served: Served) -> None:
    client = served.client("operator")
    ids = [submit(client).json()["executionId"] for _ in range(5)]
    submit(client, queue="mail", delay=60)

    first = client.get(RUNS, params={"limit": 2, "status": "queued"}).json()
    second = client.get(RUNS, params={"limit": 2, "status": "queued", "cursor": first["next"]})
    last = client.get(
        RUNS, params={"limit": 2, "status": "queued", "cursor": second.json()["next"]}
    ).json()

    pages = [*first["items"], *second.json()["items"], *last["items"]]
    assert [run["executionId"] for run in pages] == ids[::-1]
    assert last["next"] is None
    assert len(client.get(RUNS, params={"queue": "mail"}).json()["items"]) == 1
    assert client.get(RUNS, params={"jobId": "nope"}).json()["items"] == []
    assert client.get(RUNS, params={"limit": 501}).status_code == 400
    assert client.get(RUNS, params={"cursor": "x"}).status_code == 400
    twice = client.get(f"{RUNS}?queue=a&queue=b")
    unknown = client.get(f"{RUNS}?qeue=a")
    assert "given twice" in twice.json()["detail"]
    assert "no parameter 'qeue'" in unknown.json()["detail"]


def test_a_run_is_cancelled_once_and_run_again(served: Served) -> None:
    client = served.client("operator")
    run_id = submit(client, args={"a": 1}).json()["executionId"]

    gone = client.post(f"{RUNS}/{run_id}/cancel", json={"reason": "not needed"})
    fresh = client.post(f"{RUNS}/{run_id}/rerun")

    assert gone.json() == {"executionId": run_id, "status": "cancelled"}
    assert client.get(f"{RUNS}/{run_id}").json()["reason"] == "not needed"
    assert client.get(f"{RUNS}/{fresh.json()['executionId']}").json()["rerunOf"] == run_id
    not_ended = client.post(f"{RUNS}/{fresh.json()['executionId']}/rerun")
    assert (not_ended.status_code, not_ended.json()["code"]) == (409, "not-allowed")


def test_a_run_says_why_it_waits_and_has_no_attempts_or_lines_yet(served: Served) -> None:
    client = served.client("viewer")
    run_id = submit(served.client("operator")).json()["executionId"]

    why = client.get(f"{RUNS}/{run_id}/why").json()["items"]

    assert [reason["kind"] for reason in why] == ["no_worker"]
    assert client.get(f"{RUNS}/{run_id}/attempts").json()["items"] == []
    assert client.get(f"{RUNS}/{run_id}/logs").json() == {"items": [], "next": None}


@pytest.mark.parametrize("query", ["last=0", "last=10001", "last=5&after=1.1"])
def test_the_last_lines_are_asked_for_by_a_number_alone(served: Served, query: str) -> None:
    run_id = submit(served.client("operator")).json()["executionId"]

    answer = served.client("viewer").get(f"{RUNS}/{run_id}/logs?{query}")

    assert answer.status_code == 400
    assert "give 1 to 10,000 lines" in answer.json()["detail"]


def test_a_token_for_a_queue_reaches_nothing_else(served: Served) -> None:
    mail = served.client("operator", queues=["mail"])
    boss = served.client("operator")
    theirs = submit(boss).json()["executionId"]
    own = submit(mail, queue="mail").json()["executionId"]

    assert submit(mail).json()["code"] == "not-permitted"
    for path in ("", "/why", "/logs", "/attempts"):
        assert mail.get(f"{RUNS}/{theirs}{path}").status_code == 404
    assert mail.post(f"{RUNS}/{theirs}/cancel").json()["code"] == "unknown-run"
    assert [run["executionId"] for run in mail.get(RUNS).json()["items"]] == [own]
    assert mail.get(RUNS, params={"queue": "default"}).json()["items"] == []
    assert len(boss.get(RUNS).json()["items"]) == 2


@pytest.mark.parametrize(
    ("quotas", "code", "refusals"),
    [
        (Quotas(queued=3), "quota-exceeded", 2),
        (Quotas(payload=12), "payload-too-large", 5),
        (Quotas(rate=0.001), "quota-exceeded", 4),
    ],
)
def test_quotas_end_what_a_namespace_may_use(
    served: Served, quotas: Quotas, code: str, refusals: int
) -> None:
    served.app.store.write(lambda tx: put_namespace(tx, HOME, quotas))
    client = served.client("operator")

    answers = [submit(client, args={"a": 1_000_000}) for _ in range(5)]

    refused = [each for each in answers if each.status_code != 201]
    assert {each.json()["code"] for each in refused} == {code}
    assert len(refused) == refusals
    if code == "quota-exceeded":
        assert all(int(each.headers["Retry-After"]) >= 1 for each in refused)
    in_bulk = served.client("operator", namespace=OTHER)
    assert submit(in_bulk).status_code == 201, "others have quotas of their own"


def test_ids_that_are_none_look_like_unknown_ones(served: Served) -> None:
    client = served.client("operator")

    for run_id in (new_id(), "x", "..", "%2e%2e", "a%2Fb", "0" * 500):
        answer = client.get(f"{RUNS}/{run_id}")
        assert answer.status_code == 404, run_id


def test_a_value_that_is_kept_apart_is_whole_in_its_run_and_a_hash_in_lists(served: Served) -> None:
    served.define(SAY)
    client = served.client("author")
    made = client.post(RUNS, json={"jobId": "say", "args": {"a": "x" * 100_000, "b": 1}})

    shown = client.get(f"{RUNS}/{made.json()['executionId']}")
    listed = client.get(RUNS).json()["items"][0]

    assert shown.json()["args"] == {"a": "x" * 100_000, "b": 1}
    assert listed["args"]["$artifact"].startswith("sha256:")


def test_a_job_is_named_by_either_word(served: Served) -> None:
    client = served.client("operator")

    for body in ({"jobId": "add"}, {"job": "add"}, {"job": "add", "jobId": "add"}):
        assert client.post(RUNS, json=body).status_code == 201
    for bad in ({}, {"job": "add", "jobId": "other"}):
        answer = client.post(RUNS, json=bad)
        assert (answer.status_code, "jobId" in answer.json()["detail"]) == (400, True)


def test_runs_are_listed_by_when_they_were_asked_for_and_by_their_graph(served: Served) -> None:
    client = served.client("operator")
    run_id = submit(client).json()["executionId"]
    created = datetime.fromisoformat(client.get(f"{RUNS}/{run_id}").json()["createdAt"])
    later = (created + timedelta(milliseconds=1)).isoformat()

    def listed(**params: str) -> list[str]:
        found = client.get(RUNS, params=params).json()["items"]
        return [each["executionId"] for each in found]

    for when in ("live", "ended"):
        assert listed(since=created.isoformat(), until=later) == [run_id]
        assert listed(since=later) == listed(until=created.isoformat()) == []
        assert listed(parentId=run_id) == listed(schedule="nightly") == []
        if when == "live":
            finish_one(served)
    assert client.get(RUNS, params={"parentId": "x"}).status_code == 400
    assert client.get(RUNS, params={"since": "2026-01-31T08:00:00"}).status_code == 400


def test_runs_are_found_by_a_part_of_their_error_and_of_their_arguments(served: Served) -> None:
    served.define(SAY)
    client = served.client("operator")
    odd, plain = (
        submit(client, jobId="say", args={"a": text, "b": 1}).json()["executionId"]
        for text in ('50%_of "Zoë"!', "other")
    )
    for run_id in (odd, plain):
        client.post(f"{RUNS}/{run_id}/cancel")

    def listed(**params: str) -> set[str]:
        found = client.get(RUNS, params=params).json()["items"]
        return {each["executionId"] for each in found}

    for part in ('50%_OF "Zoë"!', "50%", '"Zoë"', "%_of"):
        assert listed(text=part) == {odd}
    for part in ("5_%", "%other", "nothing"):
        assert listed(text=part) == set()
    assert listed(text="other", status="cancelled") == {plain}
    assert listed(text="other", since="2999-01-01T00:00:00Z") == set()
    assert listed(error="%") == listed(error="boom") == set()
    assert client.get(RUNS, params={"text": "x" * 201}).status_code == 400


def test_a_failed_run_is_found_by_its_error_and_repeated_by_it(served: Served) -> None:
    client = served.client("operator")
    error = ErrorDetail(type="KeyError", message="'price'", traceback="shop.py:7")
    submit(client)
    failed = finish_one(served, msgspec.json.encode(error).decode())
    submit(client)
    finish_one(served)

    for part in ("keyerror", "'price'", "shop.py"):
        found = client.get(RUNS, params={"error": part}).json()["items"]
        assert [each["executionId"] for each in found] == [failed]
    counted = client.post(
        f"{RUNS}/bulk/rerun", json={"filter": {"error": "shop.py"}, "dryRun": True}
    )
    assert counted.json()["matched"] == 1
