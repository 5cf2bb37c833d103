"""Job files and events over HTTP: what they change, who may, and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import httpx2
import pytest

from rota.engine.identity.audit_log import acts
from rota.engine.identity.namespaces import put_namespace
from rota.engine.jobs.definitions import jobs
from rota.model.identity.credentials import Quotas
from tests.api.serving import HOME, Served, wait_until

FILES, EVENTS = "/api/v1/files", "/api/v1/events"
HTTP_JOB = "jobs: {ping: {http: 'https://example.org', schedule: '0 3 * * *'}}"
COMMAND_JOB = "jobs: {sweep: {command: [echo, swept]}}"


def files(*texts: str, **more: Any) -> dict[str, Any]:
    named = [{"name": f"jobs/{at}.yaml", "text": text} for at, text in enumerate(texts)]
    return {"files": named, **more}


def names(served: Served, namespace: str = HOME) -> list[str]:
    return [each.name for each in served.app.store.read(lambda tx: jobs(tx, namespace=namespace))]


def problem(answer: httpx2.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["detail"])


RULE = "alerts: {rules: {failures: {on: run.failed, to: ops}}}"
CHANNEL = "alerts: {channels: {ops: 'https://hooks.slack.com/services/${OPS_KEY}'}}"


def test_a_file_brings_alert_rules_and_channels_once(served: Served) -> None:
    client = served.client("admin", "exec")
    both = files(RULE, CHANNEL)

    done = client.post(f"{FILES}/apply", json=both).json()
    assert [(each["kind"], each["name"]) for each in done["changes"]] == [
        ("alert channel", "ops"),
        ("alert rule", "failures"),
    ]
    assert client.get("/api/v1/alert-rules/failures").json()["to"] == ["ops"]
    shown = client.get("/api/v1/alert-channels").json()["items"]
    assert [each["url"] for each in shown] == ["https://hooks.slack.com/..."]
    again = client.post(f"{FILES}/apply", json=both).json()
    assert (again["changes"], again["unchanged"]) == ([], 2)


def test_only_admins_bring_alert_channels(served: Served) -> None:
    client = served.client("author", "exec")

    refused = problem(client.post(f"{FILES}/apply", json=files(CHANNEL)), 403)
    assert refused == "alert channel ops: the role admin is needed to change it"
    assert client.get("/api/v1/alert-channels").json()["items"] == []
    assert client.post(f"{FILES}/apply", json=files(RULE)).status_code == 200


def test_who_reaches_some_queues_brings_no_alerts(served: Served) -> None:
    client = served.client("author", "exec", queues=["mail"])

    refused = problem(client.post(f"{FILES}/apply", json=files(RULE)), 403)
    assert "alerts are about all queues" in refused


def test_a_plan_says_what_an_apply_then_does_once(served: Served) -> None:
    client = served.client("author", "exec")
    both = files(HTTP_JOB, COMMAND_JOB, since="2027-03-27T00:00:00Z", horizon="2d")

    plan = served.client("viewer").post(f"{FILES}/plan", json=both).json()
    assert (plan["applied"], names(served)) == (False, ["add"])
    assert [(each["kind"], each["name"], each["verb"]) for each in plan["changes"]] == [
        ("job", "ping", "add"),
        ("job", "sweep", "add"),
        ("schedule", "ping", "add"),
    ]
    assert [each["new"] for each in plan["runs"]] == [
        "2027-03-27T03:00:00.000Z",
        "2027-03-28T03:00:00.000Z",
    ]
    done = client.post(f"{FILES}/apply", json=both).json()
    assert done == plan | {"applied": True}
    assert names(served) == ["add", "ping", "sweep"]
    assert names(served, "other") == ["add"]
    again = client.post(f"{FILES}/apply", json=both).json()
    assert (again["changes"], again["unchanged"]) == ([], 3)
    (first, *_) = served.app.store.read(lambda tx: acts(tx, namespace=HOME, verb="apply"))[::-1]
    assert first.subject == "0.yaml, 1.yaml"
    assert "add job sweep" in first.detail["changes"]


def test_prune_over_http_removes_jobs_that_left_a_file(served: Served) -> None:
    client = served.client("author")
    client.post(f"{FILES}/apply", json=files(HTTP_JOB))
    fewer = HTTP_JOB.replace("ping", "pong")

    left = client.post(f"{FILES}/plan", json=files(fewer)).json()
    assert {each["name"] for each in left["leftovers"]} == {"ping"}
    client.post(f"{FILES}/apply", json=files(fewer, prune=True))

    assert names(served) == ["add", "pong"]


def test_a_job_that_runs_a_program_needs_exec_and_else_nothing_is_done(served: Served) -> None:
    author = served.client("author")

    refused = author.post(f"{FILES}/apply", json=files(HTTP_JOB, COMMAND_JOB))

    assert "exec" in problem(refused, 403)
    assert names(served) == ["add"]
    served.client("author", "exec").post(f"{FILES}/apply", json=files(COMMAND_JOB))
    assert author.post(f"{FILES}/apply", json=files(COMMAND_JOB)).status_code == 200, "as it is"


MAIL_JOB = "jobs: {letter: {http: 'https://example.org', queue: mail, schedule: '@daily'}}"


def test_a_credential_for_some_queues_applies_files_about_them(served: Served) -> None:
    some = served.client("author", queues=["mail"])
    for verb in ("plan", "apply"):
        done = some.post(f"{FILES}/{verb}", json=files(MAIL_JOB)).json()
        assert [each["name"] for each in done["changes"]] == ["letter", "letter"], done
    fewer = files(MAIL_JOB.replace("letter", "parcel"), prune=True)
    gone = some.post(f"{FILES}/apply", json=fewer).json()

    assert ("job", "letter", "remove") in {
        (each["kind"], each["name"], each["verb"]) for each in gone["changes"]
    }
    assert names(served) == ["add", "parcel"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HTTP_JOB, "job ping: the credential does not reach the queue default"),
        ("jobs: {add: {http: 'https://example.org', queue: mail}}", "job add is of a queue"),
        (
            "jobs: {late: {http: 'https://example.org', queue: mail, dependencies: [add]}}",
            "job add is of a queue",
        ),
        (
            "graphs: {flow: {queue: mail, nodes: {one: {job: add, args: {a: 1, b: 2}}}}}",
            "job add is of a queue",
        ),
        (
            MAIL_JOB.rstrip("}") + "}}\ngraphs: {flow: {queue: mail, nodes: "
            "{one: {job: letter, queue: default}}}}",
            "job flow: the credential does not reach the queue default",
        ),
        ("jobs: {}\nblackouts: {night: {kind: skip, trigger: '@daily', duration: 1h}}", "night"),
    ],
)
def test_a_credential_for_some_queues_applies_nothing_about_others(
    shared: Served, text: str, says: str
) -> None:
    some = shared.client("admin", "exec", queues=["mail"])
    before = names(shared)
    for verb in ("plan", "apply"):
        answer = some.post(f"{FILES}/{verb}", json=files(text, takeOver=True))
        assert says in problem(answer, 403)
    assert names(shared) == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            (
                "graphs: {sub: {nodes: {a: {http: 'https://example.org'}}}, "
                "flow: {nodes: {one: {graph: sub, isolation: process}}}}"
            ),
            "node 'one': isolation: it is the graph 'sub'",
        ),
        (
            (
                "jobs: {ints: {python: 'm:f', parameters: {start: int, stop: int}, "
                "schedule: '@daily', arguments: {start: 1}}}"
            ),
            "missing a required argument: 'stop'",
        ),
    ],
)
def test_a_bad_job_file_is_refused_over_http(shared: Served, text: str, says: str) -> None:
    client = shared.client("admin", "exec")
    for verb in ("plan", "apply"):
        answer = client.post(f"{FILES}/{verb}", json=files(text))
        assert answer.status_code in (400, 422), answer.text
        assert says in answer.json()["detail"]


def test_what_others_left_in_a_file_is_not_shown_to_who_does_not_reach_it(served: Served) -> None:
    served.client("author").post(f"{FILES}/apply", json=files(HTTP_JOB))

    some = served.client("author", queues=["mail"])

    assert "ping" in problem(some.post(f"{FILES}/plan", json=files(MAIL_JOB)), 403)


def test_a_credential_for_some_queues_sends_what_only_they_hear(served: Served) -> None:
    some = served.client("operator", queues=["mail"])
    served.client("author").post(f"{FILES}/apply", json=files(MAIL_JOB))
    for job in ("letter", "add"):
        rule = {"job": job, "trigger": {"event": f"{job}.asked"}}
        assert served.client().put(f"/api/v1/schedules/{job}-asked", json=rule).is_success

    heard = some.post(EVENTS, json={"event": "letter.asked", "key": "k"}).json()["heard"]
    nobody = some.post(EVENTS, json={"event": "nobody.listens"})
    served.client("operator").post(EVENTS, json={"event": "add.asked", "key": "k"})

    assert [each["schedule"] for each in heard] == ["letter-asked"]
    assert nobody.status_code == 201
    for key in ("k", "other"):
        refused = some.post(EVENTS, json={"event": "add.asked", "key": key})
        assert "queues that the credential does not reach" in problem(refused, 403)


def test_apply_changes_a_job_of_code_only_with_take_over(served: Served) -> None:
    served.define(origin="code")
    text = "jobs: {add: {http: 'https://example.org'}}"

    assert "add" in problem(served.client().post(f"{FILES}/plan", json=files(text)), 400)
    taken = served.client().post(f"{FILES}/apply", json=files(text, takeOver=True))
    assert taken.json()["changes"][0]["verb"] == "change"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (files("jobs: {a: {htp: x}}"), "0.yaml"),
        (files("jobs: ["), "0.yaml"),
        (files("\0"), "0.yaml"),
        (files(HTTP_JOB, horizon="soon"), "soon"),
        (files(HTTP_JOB, since="2027-03-27T00:00:00"), "zone"),
        (files(HTTP_JOB, since="0001-01-01T00:00:00Z"), "1970"),
        (files(HTTP_JOB, since="9999-12-31T00:00:00Z"), "9999"),
        (files(HTTP_JOB, horizon="4000d"), "3,660d"),
        (files(HTTP_JOB, horizon=1e300), "hundred years"),
        (files(), "files"),
        (files(*["x"] * 101), "files"),
        (files(HTTP_JOB, HTTP_JOB), "job 'ping'"),
        ({"files": [{"name": "", "text": HTTP_JOB}]}, "name"),
        ({"files": [{"name": "a", "text": HTTP_JOB}] * 2}, "bundle"),
        ({"file": []}, "file"),
    ],
)
def test_bad_files_are_told_where(shared: Served, body: dict[str, Any], says: str) -> None:
    for verb in ("plan", "apply"):
        answer = shared.client().post(f"{FILES}/{verb}", json=body)
        assert answer.status_code in (400, 422), answer.text
        assert says in answer.json()["detail"]


def test_an_event_starts_what_listens_once(served: Served) -> None:
    client = served.client("operator")
    rule = {"job": "add", "trigger": {"event": "orders.closed"}, "overlap": "allow"}
    made = served.client().put("/api/v1/schedules/ship", json=rule)
    assert made.status_code == 200, made.text
    body = {"event": "orders.closed", "payload": {"a": 7}, "key": "order-7"}

    sent = client.post(EVENTS, json=body)
    again = client.post(EVENTS, json=body)

    assert (sent.status_code, sent.json()["isNew"], again.json()["isNew"]) == (201, True, False)
    (heard,) = sent.json()["heard"]
    assert again.json()["heard"] == [heard]
    (run,) = client.get("/api/v1/runs").json()["items"]
    assert (run["executionId"], run["args"]) == (heard["executionId"], {"a": 7})
    other = client.post(EVENTS, json=body | {"payload": {"a": 8}})
    assert "order-7" in problem(other, other.status_code)
    assert other.status_code in (400, 409, 422)


def test_events_keep_to_quotas_and_names(served: Served) -> None:
    client = served.client("operator")
    assert problem(client.post(EVENTS, json={"event": "no good"}), 400)
    assert problem(client.post(EVENTS, json={"event": "x", "key": ""}), 400)
    served.app.store.write(lambda tx: put_namespace(tx, HOME, Quotas(payload=10)))
    assert "limit here is 10;" in problem(
        client.post(EVENTS, json={"event": "x", "payload": "y" * 9}), 413
    )
    assert client.post(EVENTS, json={"event": "x", "payload": "y" * 8}).status_code == 201


def test_anchors_are_compared(served: Served) -> None:
    client = served.client()
    served.define()
    good = client.get("/api/v1/audit/verify").json()
    anchor = {"seq": good["seq"], "hash": good["hash"], "at": "2026-11-16T08:00:00Z"}

    found = client.post("/api/v1/audit/verify", json={"anchors": [anchor]}).json()
    assert (found["isGood"], found["anchors"]) == (True, 1)
    other = anchor | {"hash": "0" * 64}
    found = client.post("/api/v1/audit/verify", json={"anchors": [other]}).json()
    assert (found["isGood"], found["anchors"]) == (False, 0)
    later = anchor | {"seq": good["seq"] + 5}
    found = client.post("/api/v1/audit/verify", json={"anchors": [later]}).json()
    assert "is missing, and all after it" in found["says"]
    naive = anchor | {"at": "2026-11-16T08:00:00"}
    assert "zone" in problem(client.post("/api/v1/audit/verify", json={"anchors": [naive]}), 400)
    bad = anchor | {"seq": -1}
    assert problem(client.post("/api/v1/audit/verify", json={"anchors": [bad]}), 400)


def test_files_that_take_long_to_read_leave_threads_for_others(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A megabyte of YAML or costly expressions is read by two at once, whoever sends them."""
    site, go_on = served.site, Event()
    begun: list[object] = []

    def slow(*_: Any, **__: Any) -> list[Any]:
        begun.append(_)
        assert go_on.wait(60)
        return []

    monkeypatch.setattr("rota.operations.jobs.files.bundles_of", slow)
    viewer, other = served.client("viewer"), served.client("viewer")
    body = {"files": [{"name": "a.yaml", "text": "jobs: {}"}]}
    with ThreadPoolExecutor(20) as crowd:
        plans = [crowd.submit(viewer.post, "/api/v1/files/plan", json=body) for _ in range(20)]
        try:
            wait_until(lambda: len(begun) > 2 or site._slow_waiting == len(plans))
            assert len(begun) <= 2, "the others wait, and not for a thread"
            answers = [other.get("/api/v1/runs") for _ in range(3)]
        finally:
            go_on.set()

    assert {each.status_code for each in answers} == {200}
    assert {each.result().status_code for each in plans} == {200}
