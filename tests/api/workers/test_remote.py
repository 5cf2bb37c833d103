"""Workers without a database: what they can do through the server, and what is decided there."""

from __future__ import annotations

import json
from threading import Thread
from typing import Any

import httpx2

from rota.engine.identity.audit_log import acts
from rota.engine.logs import read as read_lines
from rota.ids import new_id
from rota.model.graphs.graph import Cache, Graph, Node, Parameter
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.states import State
from tests.api.serving import HOME, Served, wait_until
from tests.api.workers.remote_worker import RETRIED, Far, attempt, given_run, seen
from tests.contract.builders import run_sql

RETURNED = {"ending": "returned", "result": "3"}


def test_a_run_goes_all_the_way(served: Served) -> None:
    run_id = given_run(served)
    far = Far(served)

    answer = far.good("claim", {"limit": 5})
    (run,) = answer["runs"]
    assert (run["runId"], run["attempt"], run["job"]) == (run_id, 1, "add")
    assert json.loads(run["args"]) == {"a": 1, "b": 2}
    (definition,) = answer["definitions"]
    assert (definition["spec"]["name"], definition["version"]) == ("add", 1)
    chunk = {**attempt(run), "seq": 1, "firstAt": run["claimedAt"], "marks": "[2,0,1,0]"}
    far.good("logs", {"chunks": [{**chunk, "body": "one\ntwo"}]})
    progress = {**attempt(run), "fraction": 0.5, "note": "half"}
    beat = far.good("heartbeat", {"held": [attempt(run)], "progress": [progress]})
    nothing: dict[str, Any] = {"lost": [], "cancelled": [], "strays": []}
    assert beat == {**nothing, "recalls": False, "draining": False}
    assert seen(served.app, run_id).progress == 0.5
    assert far.finish(run, **RETURNED).json() == {"lost": []}

    ended = seen(served.app, run_id)
    assert (ended.state, ended.result, ended.worker_id) == (State.SUCCESS, "3", far.id)
    lines = served.app.store.read(lambda tx: read_lines(tx, run_id, namespace=HOME))
    assert [(line.text, line.job, line.attempt) for line in lines] == [
        ("one", "add", 1),
        ("two", "add", 1),
    ]
    assert far.finish(run, **RETURNED).json() == {"lost": [run_id]}, "told twice it counts once"
    assert far.good("retire") == {"workerId": far.id}
    assert far.say("claim", {"limit": 1}).json()["code"] == "unknown-worker"


def test_registering_a_worker_is_audited(served: Served) -> None:
    far = Far(served)

    told = served.app.store.read(lambda tx: acts(tx, namespace=HOME, limit=5))
    assert (told[0].verb, told[0].subject, told[0].who) == (
        "register worker",
        far.id,
        "token:test",
    )


def test_the_retry_policy_is_that_of_the_store(served: Served) -> None:
    served.define(RETRIED)
    run_id = given_run(served, job="retried", args="{}")
    far = Far(served)
    error = {"type": "ValueError", "message": "no\0stock"}

    far.finish(far.claim_one(), ending="raised", error=error, types=["ValueError"], customDelayMs=0)

    waiting = seen(served.app, run_id)
    assert (waiting.state, waiting.failures) == (State.SCHEDULED, 1)
    assert waiting.ready_at.ms - waiting.created_at.ms >= 3_600_000, "not what the worker says"


def test_nobody_else_wanted_it_cancelled(served: Served) -> None:
    run_id = given_run(served)
    far = Far(served)

    far.finish(far.claim_one(), ending="stopped", why="cancel")

    assert seen(served.app, run_id).state is State.QUEUED
    run = far.claim_one()
    people = served.client("operator")
    assert people.post(f"/api/v1/runs/{run_id}/cancel").status_code == 200
    assert far.good("heartbeat", {"held": [attempt(run)]})["cancelled"] == [run_id]
    far.finish(run, ending="stopped", why="cancel")
    assert seen(served.app, run_id).state is State.CANCELLED


def test_a_run_that_is_given_back_costs_no_attempt(served: Served) -> None:
    run_id = given_run(served)
    far = Far(served)
    first = far.claim_one()

    far.finish(first, ending="stopped", why="drain", began=False)

    again = far.claim_one()
    assert (again["runId"], again["failures"]) == (run_id, 0)
    assert again["fence"] > first["fence"]


def test_a_claim_waits_until_there_is_something(served: Served) -> None:
    far = Far(served)
    found: list[dict[str, Any]] = []

    def wait() -> None:
        found.append(far.good("claim", {"limit": 1}, query="?wait=50s"))

    waiting = Thread(target=wait)
    waiting.start()
    wait_until(lambda: served.site.arrivals._newest)
    run_id = given_run(served)
    waiting.join()

    assert [run["runId"] for run in found[0]["runs"]] == [run_id]


def test_a_worker_that_drains_is_given_nothing(served: Served) -> None:
    far = Far(served)
    given_run(served)
    people = served.client("operator")

    assert people.post(f"/api/v1/workers/{far.id}/drain").status_code == 200

    assert far.good("listen", query="?wait=50s") == {"rung": True}
    assert far.good("claim", {"limit": 1}, query="?wait=50s")["draining"] is True
    assert far.good("heartbeat", {})["draining"] is True


def test_runs_of_a_lost_claim_answer_go_back(served: Served) -> None:
    run_id = given_run(served)
    far = Far(served)
    lost = far.claim_one()

    answer = far.good("claim", {"limit": 1, "held": []})

    (run,) = answer["runs"]
    assert (run["runId"], run["failures"], run["crashes"]) == (run_id, 0, 0)
    assert run["fence"] == lost["fence"] + 1


def test_runs_of_a_dead_worker_of_the_same_token_go_back_at_once(served: Served) -> None:
    run_id = given_run(served)
    dead = Far(served)
    dead.claim_one()
    body = {"workerId": new_id(), "name": "w", "host": "h", "pid": 1, "version": "1"}

    def register(client: httpx2.Client) -> None:
        asked = {**body, "slots": 1, "jobs": ["add"], "replaces": [dead.id]}
        assert client.post("/api/v1/worker/register", json=asked).status_code == 201

    register(served.client("worker", queues=("default",)))
    assert seen(served.app, run_id).state is State.RUNNING, "another token says nothing of it"
    body["workerId"] = new_id()
    register(dead.client)
    assert seen(served.app, run_id).state is State.QUEUED


def test_large_values_arrive_whole_both_ways(served: Served) -> None:
    text = "x" * 200_000
    run_id = given_run(served, args=json.dumps({"a": text}))
    far = Far(served)
    run = far.claim_one()

    assert json.loads(run["args"]) == {"a": text}
    far.finish(run, ending="returned", result=json.dumps(text))

    people = served.client("viewer")
    assert people.get(f"/api/v1/runs/{run_id}").json()["result"] == text


def test_a_result_that_may_be_used_again_is(served: Served) -> None:
    cached = JobSpec(name="cached", target=PythonTarget(ref="shop:cached"), cache=Cache())
    served.define(cached)
    far = Far(served, jobs=("cached",))
    given_run(served, job="cached")
    far.finish(far.claim_one(), **RETURNED)

    second = given_run(served, job="cached")

    assert far.claim() == [], "its result is known"
    known = seen(served.app, second)
    assert (known.state, known.result) == (State.SUCCESS, "3")


def test_checkpoints_and_effects_are_kept_for_the_next_attempt(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()
    far.good("checkpoint", {**attempt(run), "state": '{"row":7}'})
    pay = {**attempt(run), "name": "pay"}
    assert far.good("effects", {**pay, "verb": "intend"})["isNew"] is True
    far.good("effects", {**pay, "verb": "settle", "result": '"paid"'})
    far.finish(run, ending="stopped", why="drain")

    again = far.claim_one()

    assert far.good("checkpoint/load", attempt(again)) == {"state": '{"row":7}'}
    known = far.good("effects", {**attempt(again), "name": "pay", "verb": "intend"})
    assert known == {"isNew": False, "isSettled": True, "result": '"paid"', "keyRun": None}
    assert far.good("last-success", attempt(again)) == {"at": None, "result": None}


def test_a_graph_without_arguments_and_a_broken_definition_keep_nothing_from_a_worker(
    served: Served,
) -> None:
    greet = Graph(
        name="greet",
        nodes=(Node(name="say", job="add", args={"a": {"$param": "who.name"}}),),
        parameters={"who": Parameter(default=None)},
    )
    given_run(served)
    served.define(JobSpec(name="greet", target=GraphTarget(graph=greet)))
    served.define(RETRIED)
    bad = given_run(served, job="greet", args='{"who":{}}')
    broken = given_run(served, job="retried", args="{}")
    good = given_run(served)
    run_sql(served.app.store.url, "update rota.job_version set spec = '{' where name = 'retried'")
    served.app.store.read(lambda tx: tx.memo.clear())
    far = Far(served, jobs=("add", "retried", "greet"))

    claimed = {run["runId"] for run in far.claim()}

    assert good in claimed
    assert not claimed & {bad, broken}
    ended = seen(served.app, bad)
    assert ended.state is State.FAILED
    assert "who.name is not there; it is an empty object" in (ended.reason or "")
    unread = seen(served.app, broken)
    assert unread.state is State.FAILED
    assert unread.error is not None
    assert "the definition of job 'retried' in version 1 cannot be read" in unread.error.message
