"""Jobs over HTTP: what they do, what they were, which version a run gets."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import httpx2
import msgspec
import pytest

from rota.model.jobs.spec import JobSpec, PythonTarget
from tests.api.runs.test_runs import finish_one, submit
from tests.api.serving import ADD, Served
from tests.support.races import at_once

JOBS = "/api/v1/jobs"
HOOK: dict[str, Any] = {"name": "hook", "http": {"url": "https://example.org/1"}}


def define(client: httpx2.Client, url: str, **fields: Any) -> int:
    """The version that a definition with this address has."""
    body = HOOK | {"http": {"url": url, "headers": {"X-Key": url}}} | fields
    answer = client.put(f"{JOBS}/hook", json=body)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["version"])


def test_a_list_tells_how_each_job_does(served: Served) -> None:
    client = served.client("operator")
    for _ in range(2):
        submit(client)
    ended = finish_one(served)

    (item,) = client.get(JOBS).json()["items"]

    (last,) = item["last"]
    assert (last["executionId"], last["state"]) == (ended, "success")
    assert last["durationMs"] >= 0
    facts = ("jobId", "kind", "origin", "version", "queued", "running", "successRate", "paused")
    assert [item[name] for name in facts] == ["add", "python", "api", 1, 1, 0, 1.0, False]
    assert item["p95Ms"] == last["durationMs"]
    assert (item["nextFireAt"], item["schedules"]) == (None, 0)
    assert item["verbs"] == ["trigger", "pause"]


def test_verbs_are_what_this_caller_may_do(served: Served) -> None:
    define(served.client("author"), "https://example.org")

    found = {
        role: served.client(role).get(f"{JOBS}/hook").json()["verbs"]
        for role in ("viewer", "operator", "author")
    }

    assert found == {
        "viewer": [],
        "operator": ["trigger", "pause"],
        "author": ["trigger", "pause", "weights", "edit", "rollback", "delete"],
    }


def test_versions_can_be_compared_and_gone_back_to(served: Served) -> None:
    client = served.client("author")
    urls = ["https://example.org/1", "https://example.org/2"]
    assert [define(client, url) for url in urls] == [1, 2]

    listed = client.get(f"{JOBS}/hook/versions").json()["items"]
    diff = client.get(f"{JOBS}/hook/versions/1/diff/2").json()
    back = client.post(f"{JOBS}/hook/rollback", json={"version": 1})

    assert [(each["version"], each["current"]) for each in listed] == [(2, True), (1, False)]
    assert listed[0]["definition"]["http"]["url"] == urls[1]
    assert (diff["from"], diff["to"]) == (1, 2)
    changes = {each["field"]: (each["old"], each["new"]) for each in diff["changes"]}
    assert changes == {"target.url": tuple(urls), "target.headers.X-Key": tuple(urls)}
    assert (back.status_code, back.json()["version"]) == (200, 1)
    shown = client.get(f"{JOBS}/hook").json()
    assert (shown["version"], shown["url"]) == (1, urls[0])
    unknown = client.post(f"{JOBS}/hook/rollback", json={"version": 9})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-version")


def test_versions_come_in_pages(served: Served) -> None:
    client = served.client("author")
    for number in range(3):
        define(client, f"https://example.org/{number}")

    first = client.get(f"{JOBS}/hook/versions", params={"limit": 2}).json()
    rest = client.get(f"{JOBS}/hook/versions", params={"limit": 2, "cursor": first["next"]}).json()

    assert [each["version"] for each in first["items"]] == [3, 2]
    assert [each["version"] for each in rest["items"]] == [1]
    assert rest["next"] is None


def test_headers_and_variables_are_for_those_who_write_them(served: Served) -> None:
    author, viewer = served.client("author"), served.client("viewer")
    for number in range(2):
        define(author, f"https://example.org/secret-{number}")

    shown = viewer.get(f"{JOBS}/hook").json()["definition"]
    diff = viewer.get(f"{JOBS}/hook/versions/1/diff/2").json()["changes"]

    assert shown["http"]["headers"] == {}
    hidden = next(each for each in diff if each["field"] == "target.headers.X-Key")
    assert (hidden["old"], hidden["new"]) == ("(hidden)", "(hidden)")
    seen = author.get(f"{JOBS}/hook").json()["definition"]
    assert seen["http"]["headers"] == {"X-Key": "https://example.org/secret-1"}


def test_the_way_back_to_a_program_needs_exec(served: Served) -> None:
    client = served.client("author", "exec")
    client.post(JOBS, json={"name": "hook", "command": "true"})
    define(client, "https://example.org", http={"url": "https://example.org"})

    answers = [
        served.client("author").post(f"{JOBS}/hook/rollback", json={"version": 1}),
        served.client("author").put(f"{JOBS}/hook/weights", json={"1": 1}),
        client.post(f"{JOBS}/hook/rollback", json={"version": 1}),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 200]


def test_runs_are_shared_out_between_versions_and_a_key_stays(served: Served) -> None:
    client = served.client("author")
    for number in range(2):
        define(client, f"https://example.org/{number}")
    assert client.put(f"{JOBS}/hook/weights", json={"1": 70, "2": 30}).status_code == 200
    asked = [{"jobId": "hook", "key": f"k{number}"} for number in range(200)]
    made = client.post("/api/v1/runs/bulk", json={"runs": asked}).json()["runs"]

    runs = {
        run["key"]: run["version"]
        for run in client.get("/api/v1/runs", params={"limit": 500}).json()["items"]
    }
    client.post("/api/v1/runs/bulk", json={"runs": [{"jobId": "hook"}] * 200})
    both = Counter(
        run["version"]
        for run in client.get("/api/v1/runs", params={"limit": 500}).json()["items"]
        if run["key"] is None
    )

    assert len(made) == 200
    assert 100 < Counter(runs.values())[1] < 180
    assert 100 < both[1] < 180
    shown = client.get(f"{JOBS}/hook").json()
    assert shown["weights"] == {"1": 70, "2": 30}
    weights = [each["weight"] for each in client.get(f"{JOBS}/hook/versions").json()["items"]]
    assert weights == [30, 70]
    assert client.put(f"{JOBS}/hook/weights", json={}).json()["weights"] == {}


@pytest.mark.parametrize("weights", [{"x": 1}, {"1": -1}, {"1": 0}, {"-1": 1}, {"1": 1.5}])
def test_weights_that_make_no_sense_are_refused(shared: Served, weights: dict[str, Any]) -> None:
    answer = shared.client("author", "exec").put(f"{JOBS}/add/weights", json=weights)

    assert answer.status_code == 400, answer.text


def test_a_paused_job_waits_until_it_is_resumed(served: Served) -> None:
    client = served.client("operator")
    paused = client.post(f"{JOBS}/add/pause", json={"note": "the bank is down"})

    run_id = submit(client).json()["executionId"]
    why = client.get(f"/api/v1/runs/{run_id}/why").json()["items"]
    shown = client.get(f"{JOBS}/add").json()
    client.post(f"{JOBS}/add/resume")

    assert paused.json() == {"jobId": "add", "status": "paused", "note": "the bank is down"}
    assert (shown["paused"], shown["note"]) == (True, "the bank is down")
    assert "resume" in shown["verbs"]
    assert why[0]["kind"] == "held"
    assert finish_one(served) == run_id
    assert client.get(f"{JOBS}/add").json()["paused"] is False


def test_parameters_are_told_as_json_schema(served: Served) -> None:
    schema = served.client("viewer").get(f"{JOBS}/add/parameters").json()

    assert schema["properties"]["a"] == {"type": "integer", "description": "int"}
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)


def test_arguments_of_any_name_are_taken_where_the_function_takes_them(served: Served) -> None:
    client = served.client("operator")
    served.define(
        JobSpec(
            name="tag",
            target=PythonTarget(ref="shop:tag"),
            parameters={"name": "str"},
            defaults={},
            more="int | None",
        )
    )

    schema = client.get(f"{JOBS}/tag/parameters").json()
    body = {"job": "tag", "args": {"name": "a", "width": 3, "depth": None}}
    made = client.post("/api/v1/runs", json=body).json()["executionId"]
    wrong = client.post("/api/v1/runs", json={"jobId": "tag", "args": {"name": "a", "width": "x"}})
    strange = client.post("/api/v1/runs", json={"jobId": "add", "args": {"a": 1, "width": 3}})

    assert schema["additionalProperties"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert client.get(f"/api/v1/runs/{made}").json()["args"] == {
        "name": "a",
        "width": 3,
        "depth": None,
    }
    assert (wrong.status_code, strange.status_code) == (422, 422)
    assert "width: Expected `int | null`, got `str`" in wrong.json()["detail"]


def test_arguments_of_the_wrong_type_are_refused_at_once(served: Served) -> None:
    served.define(msgspec.structs.replace(ADD, name="sum", defaults={"b": None}))

    answer = served.client("operator").post(
        "/api/v1/runs", json={"jobId": "sum", "args": {"a": 1, "b": "two"}}
    )

    assert answer.status_code == 422
    assert "b: Expected `int | null`, got `str`" in answer.json()["detail"]


def test_a_change_of_what_somebody_else_changed_is_refused(served: Served) -> None:
    client = served.client("author")
    define(client, "https://example.org/1")
    etag = client.get(f"{JOBS}/hook").headers["ETag"]
    define(client, "https://example.org/2")
    body = HOOK | {"http": {"url": "https://example.org/3"}}

    def late(method: str, path: str, **more: Any) -> int:
        return client.request(
            method, f"{JOBS}/hook{path}", headers={"If-Match": etag}, **more
        ).status_code

    answers = [
        late("PUT", "", json=body),
        late("DELETE", ""),
        late("POST", "/rollback", json={"version": 1}),
        late("PUT", "/weights", json={"1": 1}),
    ]
    problem = client.put(f"{JOBS}/hook", json=body, headers={"If-Match": etag}).json()
    fresh = client.get(f"{JOBS}/hook").headers["ETag"]
    good = client.put(f"{JOBS}/hook", json=body, headers={"If-Match": fresh})

    assert answers == [412] * 4
    assert problem["code"] == "outdated"
    assert good.status_code == 200
    new = HOOK | {"name": "new"}
    absent = client.put(f"{JOBS}/new", json=new, headers={"If-Match": "*"})
    assert absent.status_code == 412


def test_one_of_two_changes_of_the_same_state_is_made(served: Served) -> None:
    clients = [served.client("author") for _ in range(4)]
    define(clients[0], "https://example.org")
    etag = clients[0].get(f"{JOBS}/hook").headers["ETag"]
    same = {"If-Match": etag}

    answers = at_once(
        *(
            partial(each.put, f"{JOBS}/hook", json=body, headers=same)
            for each, body in told(clients)
        )
    )

    assert sorted(each.status_code for each in answers) == [200, 412, 412, 412]


def told(clients: list[httpx2.Client]) -> list[tuple[httpx2.Client, dict[str, Any]]]:
    """Each with a definition of its own."""
    return [
        (client, HOOK | {"http": {"url": f"https://example.org/{number}"}})
        for number, client in enumerate(clients)
    ]


def test_one_of_many_definers_of_a_new_job_wins(served: Served) -> None:
    clients = [served.client("author") for _ in range(4)]

    answers = at_once(*(partial(each.post, JOBS, json=body) for each, body in told(clients)))

    assert sorted(each.status_code for each in answers) == [201, 409, 409, 409]
    versions = clients[0].get(f"{JOBS}/hook/versions").json()["items"]
    assert [each["version"] for each in versions] == [1]


def test_a_read_definition_can_be_sent_back_unchanged(served: Served) -> None:
    client = served.client("author", "exec")
    job: dict[str, Any] = {
        "name": "full",
        "command": ["echo", "{what}"],
        "env": {"A": "b"},
        "schedule": {"cron": "0 3 * * *", "overlap": "skip"},
        "timezone": "Europe/Paris",
        "arguments": {"what": "x"},
        "retries": 5,
        "backoff": "fixed",
        "retryDelay": "2s",
        "breaker": {"share": 0.5, "least": 20, "cool": "1m"},
        "timeout": 90,
    }
    client.post(JOBS, json=job)
    read = client.get(f"{JOBS}/full")
    told = read.json()["definition"]
    assert (told["backoff"], told["retryDelay"], told["breaker"]["cool"]) == ("fixed", 2.0, "1m")
    own = {name: told[name] for name in told if name not in ("kind", "function", "http")}

    again = client.put(f"{JOBS}/full", json=own, headers={"If-Match": read.headers["ETag"]})

    assert (again.status_code, again.json()["version"]) == (200, 1), again.text
    assert client.get(f"{JOBS}/full").headers["ETag"] == read.headers["ETag"]


def test_a_token_of_other_queues_sees_no_versions(served: Served) -> None:
    client = served.client("admin", queues=["elsewhere"])
    paths = ("versions", "versions/1/diff/1", "parameters")

    answers = [client.get(f"{JOBS}/{ADD.name}/{path}") for path in paths]
    answers.append(client.post(f"{JOBS}/{ADD.name}/pause"))

    assert {answer.json()["code"] for answer in answers} == {"unknown-job"}
    assert client.get(JOBS).json()["items"] == []
