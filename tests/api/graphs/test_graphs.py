"""Graphs over HTTP: what they are made of, where their runs stand, what people do to them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import httpx2
import msgspec
import pytest

from rota.model.graphs.graph import Map, Parameter
from rota.model.jobs.spec import GraphTarget, JobSpec
from tests.api.serving import Served
from tests.contract.builders import given_worker
from tests.contract.graphs.builders import Flow, graph, node

GRAPHS = "/api/v1/graphs"
RUNS = "/api/v1/runs"
ETL = graph(
    [
        node("load", group="in"),
        node("parts", map=Map(over={"$ref": "load"}, into="part")),
        node("report", "parts", when="params.day != 'never'"),
    ],
    parameters={"day": Parameter(type="str", default="today")},
    description="from files to figures",
)


def given_flow(served: Served) -> Flow:
    store = served.app.store
    return Flow(store, given_worker(store), ETL)


def nodes_of(client: httpx2.Client, run_id: str) -> dict[str, dict[str, Any]]:
    found = client.get(f"{RUNS}/{run_id}/nodes").json()["graph"]["nodes"]
    return {each["name"]: each for each in found}


def test_an_older_version_of_a_graph_has_its_own_parameters_and_queue(served: Served) -> None:
    given_flow(served)
    both = {**ETL.parameters, "month": Parameter(type="int")}
    later = msgspec.structs.replace(ETL, parameters=both)
    served.define(JobSpec(name="flow", target=GraphTarget(graph=later), queue="night"))
    client = served.client("viewer")

    first, second = (
        client.get(f"{GRAPHS}/flow", params={"version": version}).json() for version in (1, 2)
    )

    assert (first["queue"], [*first["parameters"]["properties"]]) == ("default", ["day"])
    assert (second["queue"], [*second["parameters"]["properties"]]) == ("night", ["day", "month"])
    assert client.get(f"{GRAPHS}/flow").json() == second


def test_a_graph_tells_what_it_is_made_of(served: Served) -> None:
    given_flow(served)
    client = served.client("viewer")

    (listed,) = client.get(GRAPHS).json()["items"]
    shown = client.get(f"{GRAPHS}/flow").json()

    assert (listed["jobId"], listed["kind"], listed["nodes"]) == ("flow", "graph", 3)
    assert listed["description"] == shown["description"] == "from files to figures"
    assert [each["name"] for each in shown["nodes"]] == ["load", "parts", "report"]
    assert shown["nodes"][1]["map"]["over"] == {"$ref": "load"}
    assert (shown["nodes"][0]["group"], shown["nodes"][2]["level"]) == ("in", 2)
    assert shown["edges"] == [
        {"from": "load", "to": "parts", "when": None},
        {"from": "parts", "to": "report", "when": "params.day != 'never'"},
    ]
    assert shown["parameters"]["properties"]["day"]["default"] == "today"
    assert client.get(f"{GRAPHS}/work").json()["code"] == "unknown-job"
    unknown = client.get(f"{GRAPHS}/flow", params={"version": 9})
    assert unknown.json()["code"] == "unknown-version"


def test_nodes_of_a_run_tell_where_they_stand(served: Served) -> None:
    flow = given_flow(served)
    client = served.client("operator")
    waiting = flow.submit()
    before = client.get(f"{RUNS}/{waiting}/nodes").json()
    flow.begin()
    flow.claim()
    flow.end(waiting, "load", result=[1, 2, 3])
    flow.claim()
    flow.end(waiting, "parts", "succeed", item=0)

    after = client.get(f"{RUNS}/{waiting}/nodes").json()

    assert [each["state"] for each in before["graph"]["nodes"]] == ["pending"] * 3
    found = {each["name"]: each for each in after["graph"]["nodes"]}
    assert [each["state"] for each in found.values()] == ["success", "running", "pending"]
    assert found["load"]["durationMs"] >= 0
    assert found["load"]["runId"]
    assert found["parts"]["map"] == {
        "total": 3, "done": 1, "failed": 0, "running": 2, "made": 3, "kept": 0
    }  # fmt: skip
    assert [each["critical"] for each in found.values()] == [False, True, True]
    assert [each["verbs"] for each in found.values()] == [[], ["mark"], ["mark"]]
    progress = after["progress"]
    assert (progress["done"], progress["total"]) == (1, 3)
    assert progress["byState"] == {"active": 1, "pending": 1, "success": 1}
    assert progress["criticalPath"] == ["parts", "report"]
    assert after["verbs"] == ["cancel", "mark", "pause"]


def test_a_run_that_is_over_tells_what_it_took(served: Served) -> None:
    flow = given_flow(served)
    client = served.client("viewer")
    run = flow.start()
    flow.claim()
    flow.end(run, "load", result=[1, 2])
    flow.claim()
    flow.end(run, "parts", "succeed", item=0)
    running = nodes_of(client, run)["parts"]
    flow.end(run, "parts", "succeed", item=1)
    flow.claim()
    flow.end(run, "report")

    over = client.get(f"{RUNS}/{run}/nodes").json()

    assert (running["startedAt"] is None, running["finishedAt"]) == (False, None)
    parts = over["graph"]["nodes"][1]
    assert datetime.fromisoformat(parts["startedAt"]) <= datetime.fromisoformat(parts["finishedAt"])
    assert parts["durationMs"] is not None
    assert over["progress"]["criticalPath"] == ["load", "parts", "report"]
    assert all(each["critical"] for each in over["graph"]["nodes"])


def test_arguments_of_another_type_are_refused_at_every_door(served: Served) -> None:
    given_flow(served)
    author = served.client("author", "operator")
    good = author.post(RUNS, json={"jobId": "flow", "args": {"day": "monday"}}).json()
    run_id = good["executionId"]
    schedule = {"job": "flow", "expression": "0 2 * * *"}
    assert author.put("/api/v1/schedules/s", json=schedule).status_code == 200

    answers = [
        author.post(RUNS, json={"jobId": "flow", "args": {"day": 5}}),
        author.post(f"{RUNS}/{run_id}/rerun", json={"args": {"day": 5}}),
        author.put("/api/v1/schedules/s", json={**schedule, "args": {"day": 5}}),
        author.post("/api/v1/schedules/s/trigger", json={"args": {"day": 5}}),
        author.post("/api/v1/jobs/flow/trigger", json={"args": {"day": 5}}),
    ]

    for answer in answers:
        assert answer.status_code == 422, answer.text
        assert "day: Expected `str`, got `int`" in answer.json()["detail"]


def test_a_run_that_is_no_graph_has_no_nodes(served: Served) -> None:
    client = served.client("operator")
    run_id = client.post(RUNS, json={"jobId": "add"}).json()["executionId"]

    found = client.get(f"{RUNS}/{run_id}/nodes").json()

    assert (found["graph"], found["progress"]["total"]) == (None, 1)
    refused = client.post(f"{RUNS}/{run_id}/pause")
    assert (refused.status_code, refused.json()["code"]) == (409, "not-allowed")


def test_a_grid_shows_runs_beside_each_other(served: Served) -> None:
    flow = given_flow(served)
    first = flow.start()
    flow.claim()
    flow.end(first, "load", "fail")
    second = flow.start()

    found = served.client("viewer").get(f"{GRAPHS}/flow/grid", params={"runs": 5}).json()

    assert [each["executionId"] for each in found["runs"]] == [second, first]
    assert [each["state"] for each in found["runs"]] == ["suspended", "failed"]
    assert found["nodes"] == ["load", "parts", "report"]
    assert found["cells"][first]["load"] == "failed"
    assert found["cells"][second] == {"load": "queued", "parts": "pending", "report": "pending"}


def test_a_run_is_paused_and_resumed(served: Served) -> None:
    flow = given_flow(served)
    run_id = flow.start()
    client = served.client("operator")

    paused = client.post(f"{RUNS}/{run_id}/pause", json={"reason": "look first"})
    held = client.get(f"{RUNS}/{run_id}").json()["verbs"]
    leases = flow.claim()
    resumed = client.post(f"{RUNS}/{run_id}/resume")

    assert paused.json() == {"executionId": run_id, "status": "suspended"}
    assert (held, leases) == (["cancel", "mark", "resume"], [])
    assert resumed.status_code == 200
    assert client.get(f"{RUNS}/{run_id}").json()["verbs"] == ["cancel", "mark", "pause"]
    assert flow.running(run_id) == {"load"}


def test_a_graph_that_goes_on_is_counted_and_found_as_running(served: Served) -> None:
    flow = given_flow(served)
    goes_on, paused = flow.start(), flow.start()
    client = served.client("operator")
    client.post(f"{RUNS}/{paused}/pause")

    def found(status: str) -> list[tuple[str, str, bool]]:
        query = {"status": status, "steps": "false"}
        items = client.get(RUNS, params=query).json()["items"]
        return [(each["executionId"], each["status"], each["paused"]) for each in items]

    (listed,) = client.get(GRAPHS).json()["items"]
    assert (listed["running"], listed["pausedRuns"], listed["last"]) == (1, 1, [])
    assert found("running") == [(goes_on, "suspended", False)]
    assert found("suspended") == [(paused, "suspended", True), (goes_on, "suspended", False)]
    assert client.get(f"{RUNS}/{paused}").json()["paused"] is True
    assert client.get(f"{RUNS}/{goes_on}").json()["paused"] is False


def test_a_node_is_marked_and_the_run_goes_on(served: Served) -> None:
    flow = given_flow(served)
    run_id = flow.start()
    client = served.client("operator")

    skipped = client.post(
        f"{RUNS}/{run_id}/mark", json={"node": "load", "as": "failed", "reason": "no files"}
    )

    assert skipped.json() == {"executionId": run_id, "status": "failed"}
    found = nodes_of(client, run_id)
    assert found["load"]["reason"] == "marked by token:test: no files"
    assert found["load"]["verbs"] == ["rerun"]
    for bad in ({"node": "nope", "as": "success"}, {"node": "load", "as": "done"}):
        assert client.post(f"{RUNS}/{run_id}/mark", json=bad).status_code in (400, 409)


def rerun(client: httpx2.Client, flow: Flow, run_id: str, body: dict[str, Any]) -> list[str]:
    """The nodes of the new run that are to be done, as soon as it has begun."""
    fresh = client.post(f"{RUNS}/{run_id}/rerun", json=body)
    assert fresh.status_code == 201, fresh.text
    new_id = fresh.json()["executionId"]
    assert client.get(f"{RUNS}/{new_id}").json()["rerunOf"] == run_id
    flow.begin()
    found = nodes_of(client, new_id)
    return [name for name, each in found.items() if each["state"] not in ("success", "failed")]


@pytest.mark.parametrize(
    ("body", "redone"),
    [({}, ["load", "parts", "report"]), ({"fromFailed": True}, ["parts", "report"])],
)
def test_a_rerun_repeats_the_failed_nodes_or_the_whole_graph(
    served: Served, body: dict[str, Any], redone: list[str]
) -> None:
    flow = given_flow(served)
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "load", result=[1])
    flow.claim()
    flow.end(run_id, "parts", "fail", item=0)

    assert rerun(served.client("operator"), flow, run_id, body) == redone


@pytest.mark.parametrize(
    ("body", "redone"),
    [
        ({"fromNode": "report"}, ["report"]),
        ({"fromNode": "parts"}, ["parts", "report"]),
        ({"fromNode": "load", "downstream": False}, ["load"]),
    ],
)
def test_a_node_is_run_again_alone_or_with_what_follows(
    served: Served, body: dict[str, Any], redone: list[str]
) -> None:
    flow = given_flow(served)
    run_id = flow.start()
    for name, item in (("load", None), ("parts", 0), ("report", None)):
        flow.claim()
        flow.end(run_id, name, result=[1], item=item)

    assert rerun(served.client("operator"), flow, run_id, body) == redone


def test_a_run_is_repeated_with_other_arguments(served: Served) -> None:
    client = served.client("operator")
    run_id = client.post(RUNS, json={"jobId": "add", "args": {"a": 1}}).json()["executionId"]
    client.post(f"{RUNS}/{run_id}/cancel")

    fresh = client.post(f"{RUNS}/{run_id}/rerun", json={"args": {"b": 2}}).json()
    answers = [
        client.post(f"{RUNS}/{run_id}/rerun", json=body)
        for body in (
            {"args": {"c": 2}},
            {"fromFailed": True, "fromNode": "x"},
            {"fromFailed": True},
        )
    ]

    assert client.get(f"{RUNS}/{fresh['executionId']}").json()["args"] == {"b": 2}
    assert [answer.status_code for answer in answers] == [422, 400, 400]


def test_a_token_of_other_queues_sees_no_graphs(served: Served) -> None:
    run_id = given_flow(served).start()
    client = served.client("admin", queues=["elsewhere"])

    answers = [client.get(f"{GRAPHS}/flow"), client.get(f"{GRAPHS}/flow/grid")]

    assert {answer.json()["code"] for answer in answers} == {"unknown-job"}
    assert client.get(GRAPHS).json()["items"] == []
    assert client.get(f"{RUNS}/{run_id}/nodes").json()["code"] == "unknown-run"


def test_the_last_node_of_a_graph_with_retries_can_be_cancelled(served: Served) -> None:
    store = served.app.store
    flow = Flow(store, given_worker(store), graph([node("a")], retries=1))
    run_id = flow.start()
    client = served.client("operator")
    first = nodes_of(client, run_id)["a"]["runId"]

    cancelled = client.post(f"{RUNS}/{first}/cancel")

    assert cancelled.status_code == 200, cancelled.text
    assert client.get(f"{RUNS}/{first}").json()["state"] == "cancelled"
    again = nodes_of(client, run_id)["a"]
    assert again["runId"] != first
    acts = served.client("admin").get("/api/v1/audit", params={"subject": first}).json()["items"]
    assert [act["subject"] for act in acts] == [first]


def test_a_cancel_lets_teardowns_run_and_force_does_not(served: Served) -> None:
    nodes = [node("up", kind="setup"), node("down", "up", kind="teardown", setups=("up",))]
    store = served.app.store
    flow = Flow(store, given_worker(store), graph(nodes))
    client = served.client("operator")
    run = flow.start()
    flow.claim()
    flow.end(run, "up")

    asked = client.post(f"{RUNS}/{run}/cancel", json={"reason": "no need"})

    assert (asked.status_code, asked.json()["status"]) == (200, "suspended")
    shown = client.get(f"{RUNS}/{run}").json()
    assert (shown["cancelRequested"], shown["verbs"]) == (True, ["force_cancel", "mark"])
    (first, *_) = client.get(f"{RUNS}/{run}/why").json()["items"]
    assert first["kind"] == "cancel_requested"
    assert first["says"].startswith("cancelling: teardown down runs")
    assert client.post(f"{RUNS}/{run}/cancel").json()["status"] == "suspended"
    forced = client.post(f"{RUNS}/{run}/cancel", json={"force": True})
    assert forced.json()["status"] == "cancelled"
    acts = served.client("admin").get("/api/v1/audit").json()["items"]
    told = [each["detail"] for each in acts if each["verb"] == "cancel run"]
    assert [each.get("force") for each in told] == [True, None, None]


def test_a_rerun_over_http_keeps_the_items_that_succeeded(served: Served) -> None:
    flow = given_flow(served)
    client = served.client("operator")
    run = flow.start()
    flow.claim()
    flow.end(run, "load", result=[1, 2, 3])
    flow.claim()
    for item in range(3):
        flow.end(run, "parts", "fail" if item == 2 else "succeed", item=item)

    again = client.post(f"{RUNS}/{run}/rerun", json={"fromFailed": True}).json()["executionId"]

    assert [lease.item for lease in flow.claim()] == [2]
    assert nodes_of(client, again)["parts"]["map"]["kept"] == 2
