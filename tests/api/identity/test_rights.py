"""What runs decides who may have it run: every target x every way x with and without `exec`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import httpx2
import msgspec
import pytest

from rota.engine.identity.audit_log import acts
from rota.engine.jobs.definitions import define, remove
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.engine.runs.submit import submit
from rota.engine.schedules.definitions import pause
from rota.engine.workers.registry import NewWorker, register
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.spec import (
    CommandTarget,
    GraphTarget,
    HttpTarget,
    JobSpec,
    PythonTarget,
    Target,
)
from rota.model.runs.run import NewRun, Verdict
from tests.api.serving import HOME, Served
from tests.api.things import given_schedule

HOOK = HttpTarget(url="https://example.org")
TARGETS: Mapping[str, Target] = {
    "public": HOOK,
    "private": HttpTarget(url="https://example.org", allow_private=True),
    "program": CommandTarget(argv=("true",)),
    "function": PythonTarget(ref="os:getcwd"),
}
IN_FILES = {
    "public": "http: https://example.org",
    "private": "http: {url: https://example.org, allow_private: true}",
    "program": "command: [ls]",
    "function": "python: os:getcwd",
}
SHAPES = ("plain", "graph", "nested")
DONE = (200, 201)


class Given(NamedTuple):
    """A job of the past: what it was, and its run that failed."""

    job: str
    run_id: str


def specs_of(name: str, target: Target, shape: str) -> Iterator[JobSpec]:
    """The job and what its nodes are, the job itself last."""
    if shape == "plain":
        yield JobSpec(name=name, target=target, queue="mail")
        return
    yield JobSpec(name=f"{name}-inner", target=target, queue="mail")
    inner = Node(name="n", job=f"{name}-inner")
    if shape == "nested":
        middle = Graph(name=f"{name}-middle", nodes=(inner,))
        yield JobSpec(name=middle.name, target=GraphTarget(graph=middle), queue="mail")
        inner = Node(name="n", graph=middle.name)
    graph = Graph(name=name, nodes=(inner,))
    yield JobSpec(name=name, target=GraphTarget(graph=graph), queue="mail")


def given(served: Served, target: Target, shape: str, *, is_removed: bool) -> Given:
    """It was in force and a run of it failed; now it is a harmless request, or removed."""
    run_id, worker_id = new_id(), new_id()
    name = f"it-{run_id[-12:]}"
    at: dict[str, Any] = {"namespace": HOME}
    worker = NewWorker(
        id=worker_id, name="w", host="h", pid=1, queues=("mail",), slots=1, version="1"
    )

    def make(tx: Any) -> None:
        *inner, spec = specs_of(name, target, shape)
        for each in (*inner, spec):
            define(tx, each, origin="api", **at)
        given_schedule(tx, name, job=name, **at)
        pause(tx, name, who="test", **at)
        register(tx, worker, lease_ms=60_000, **at)
        submit(tx, [NewRun(id=run_id, job=name, version=1, queue="mail")], **at)
        claim(tx, jobs=json.dumps([name]), queues=["mail"], worker_id=worker_id, limit=1, **at)
        error = '{"type":"ValueError","message":"broken"}'
        finish(tx, [Verdict(run_id=run_id, fence=1, verb="fail", error=error)], **at)
        for each in inner:
            remove(tx, each.name, **at)
        if is_removed:
            remove(tx, name, **at)
        else:
            new = HttpTarget(url="https://example.org/now")
            define(tx, JobSpec(name=name, target=new, queue="mail"), origin="api", **at)

    served.app.store.write(make)
    return Given(name, run_id)


Way = Callable[[httpx2.Client, Given], httpx2.Response]
RANGE = {"from": "2026-01-01", "until": "2026-01-03"}
BACK: Mapping[str, Way] = {
    "roll back": lambda client, it: client.post(
        f"/api/v1/jobs/{it.job}/rollback", json={"version": 1}
    ),
    "weigh": lambda client, it: client.put(f"/api/v1/jobs/{it.job}/weights", json={"1": 1}),
    "rerun": lambda client, it: client.post(f"/api/v1/runs/{it.run_id}/rerun"),
    "rerun many": lambda client, it: client.post(
        "/api/v1/runs/bulk/rerun", json={"ids": [it.run_id]}
    ),
}
"""Ways back to a version that is not the current one any more."""
GONE: Mapping[str, Way] = {
    "rerun": BACK["rerun"],
    "rerun many": BACK["rerun many"],
    "redrive": lambda client, it: client.post(f"/api/v1/dead-letters/{it.run_id}/redrive"),
    "redrive many": lambda client, it: client.post(
        "/api/v1/dead-letters/redrive", json={"ids": [it.run_id]}
    ),
    "start schedule": lambda client, it: client.post(f"/api/v1/schedules/{it.job}/trigger"),
    "resume schedule": lambda client, it: client.post(f"/api/v1/schedules/{it.job}/resume"),
    "backfill": lambda client, it: client.post(f"/api/v1/schedules/{it.job}/backfill", json=RANGE),
}
"""Ways back to a job that was removed."""


@pytest.mark.parametrize("ways", [BACK, GONE], ids=["replaced", "removed"])
def test_what_is_not_in_force_any_more_comes_back_only_with_the_right_to_it(
    served: Served, ways: Mapping[str, Way]
) -> None:
    without, powerful = served.client("author"), served.client("author", "exec")
    stranger = served.client("author", "exec", queues=["web"])
    wrong = []
    for kind, target in TARGETS.items():
        for shape in SHAPES:
            for called, way in ways.items():
                it = given(served, target, shape, is_removed=ways is GONE)
                before = count_of_acts(served)
                elsewhere = way(stranger, it)
                first = way(without, it)
                kept = before == count_of_acts(served)
                second = way(powerful, it)
                is_free = kind == "public"
                is_good = (
                    elsewhere.status_code in (403, 404) or elsewhere.json().get("done") == 0,
                    first.status_code in DONE if is_free else first.status_code == 403,
                    kept is not is_free or elsewhere.status_code in DONE,
                    second.status_code in DONE or (is_free and second.status_code == 409),
                )
                if not all(is_good):
                    wrong.append((kind, shape, called, is_good, first.text, second.text))
    assert wrong == []


def count_of_acts(served: Served) -> int:
    return len(served.app.store.read(lambda tx: acts(tx, namespace=HOME, limit=100_000)))


@pytest.mark.parametrize("shape", SHAPES)
def test_files_bring_what_runs_code_only_from_who_may(served: Served, shape: str) -> None:
    without, powerful = served.client("author"), served.client("author", "exec")
    for kind, text in IN_FILES.items():
        name = f"{shape}-{kind}"
        flow = f"graphs: {{{name}: {{nodes: {{n: {{{text}}}}}}}}}"
        files = {
            "plain": f"jobs: {{{name}: {{{text}}}}}",
            "graph": flow,
            "nested": flow[:-1] + f", {name}-outer: {{nodes: {{m: {{graph: {name}}}}}}}}}",
        }
        body = {"files": [{"name": f"{name}.yaml", "text": files[shape]}]}

        first = without.post("/api/v1/files/apply", json=body)
        there = powerful.get(f"/api/v1/jobs/{name}").status_code
        second = powerful.post("/api/v1/files/apply", json=body)

        wanted = 200 if kind == "public" else 403
        assert (first.status_code, second.status_code) == (wanted, 200), (kind, first.text)
        assert there == (200 if kind == "public" else 404)


def test_a_job_that_code_owns_runs_the_function_of_the_worker_whatever_its_version(
    served: Served,
) -> None:
    """An operator repeats what failed before the last deployment; nothing is imported for it."""
    old = PythonTarget(ref="shop.before:send")
    it = given(served, old, "plain", is_removed=False)
    new = JobSpec(name=it.job, target=PythonTarget(ref="shop.now:send"), queue="mail")
    served.define(new, origin="code")

    assert served.client("operator").post(f"/api/v1/runs/{it.run_id}/rerun").status_code == 201
    shared = served.client("author").put(f"/api/v1/jobs/{it.job}/weights", json={"1": 1, "3": 1})
    assert shared.status_code == 200, shared.text


def test_operators_may_start_the_current_version(served: Served) -> None:
    """Also in an old version that differs by its policies alone."""
    it = given(served, TARGETS["program"], "plain", is_removed=False)
    spec = JobSpec(name=it.job, target=TARGETS["program"], queue="mail", timeout_ms=1000)
    served.define(spec)
    operator = served.client("operator")

    answers = [
        operator.post(f"/api/v1/dead-letters/{it.run_id}/redrive"),
        operator.post(f"/api/v1/runs/{it.run_id}/rerun"),
        operator.post("/api/v1/runs", json={"jobId": it.job, "queue": "mail"}),
        operator.post(f"/api/v1/schedules/{it.job}/trigger"),
    ]

    assert [each.status_code for each in answers] == [201] * 4, [each.text for each in answers]


def test_templates_with_programs_are_for_those_who_may_run_programs(served: Served) -> None:
    without, powerful = served.client("author"), served.client("author", "exec")
    path = "/api/v1/templates/t"
    program: dict[str, Any] = {"definition": {"name": "made", "command": "true"}}
    evil: dict[str, Any] = {"definition": {"name": "made", "command": "curl evil.example"}}
    hook: dict[str, Any] = {"definition": {"name": "made", "http": {"url": "https://x.example"}}}

    answers = [
        without.put(path, json=program),
        powerful.put(path, json=program),
        without.put(path, json=evil),
        without.put(path, json=hook),
        without.delete(path),
        without.post(f"{path}/instantiate"),
    ]

    assert [each.status_code for each in answers] == [403, 200, 403, 403, 403, 403]
    assert powerful.get(path).json()["definition"] == program["definition"]
    assert without.get(path).json()["verbs"] == []
    assert powerful.post(f"{path}/instantiate").status_code == 201
    assert powerful.get("/api/v1/jobs/made").json()["command"] == ["true"]
    assert powerful.put(path, json=hook).status_code == 200
    assert without.put(path, json=evil).status_code == 403
    assert without.delete(path).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_program_is_defined_only_by_who_may(served: Served, method: str) -> None:
    body = {"name": "own", "command": "true"}
    path = "/api/v1/jobs" if method == "POST" else "/api/v1/jobs/own"

    answers = [
        served.client("author", queues=["default"]).request(method, path, json=body),
        served.client("admin").request(method, path, json=body),
        served.client("author", "exec", queues=["mail"]).request(method, path, json=body),
        served.client("author", "exec", queues=["default"]).request(method, path, json=body),
    ]

    assert [each.status_code for each in answers][:3] == [403] * 3
    assert answers[3].status_code in DONE


def test_an_old_graph_that_starts_jobs_of_other_queues_is_not_for_who_does_not_reach_them(
    served: Served,
) -> None:
    other = JobSpec(name="theirs", target=HOOK, queue="web")
    graphs = {
        "names": Graph(name="names", nodes=(Node(name="n", job="theirs"),)),
        "sends": Graph(name="sends", nodes=(Node(name="n", job="ours", queue="web"),)),
    }
    served.define(other)
    served.define(JobSpec(name="ours", target=HOOK, queue="mail"))
    for name, graph in graphs.items():
        old = JobSpec(name=name, target=GraphTarget(graph=graph), queue="mail")
        served.define(old)
        served.define(msgspec.structs.replace(old, target=HOOK))
    mail, both = (
        served.client("author", "exec", queues=queues) for queues in (["mail"], ["mail", "web"])
    )

    for name in graphs:
        path, body = f"/api/v1/jobs/{name}/rollback", {"version": 1}
        assert mail.post(path, json=body).status_code == 403
        assert both.post(path, json=body).status_code == 200
