"""What a graph has carried out decides who may start it: every part of the past x every way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import httpx2
import msgspec
import pytest

from rota.engine.jobs.definitions import define, remove
from rota.engine.runs.claim import claim
from rota.engine.runs.find import now_ms
from rota.engine.runs.finish import finish
from rota.engine.runs.submit import submit
from rota.engine.schedules import definitions as schedules
from rota.engine.workers.registry import NewWorker, register
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.spec import GraphTarget, HttpTarget, JobSpec, Target
from rota.model.runs.run import NewRun, Verdict
from rota.model.schedules.definitions import OnEvent, Schedule
from tests.api.identity.test_rights import BACK, DONE, GONE, RANGE, TARGETS, count_of_acts
from tests.api.serving import HOME, Served, wait_until
from tests.api.things import TABLES, given_schedule

AT: Mapping[str, Any] = {"namespace": HOME}
NOW = HttpTarget(url="https://example.org/now")


class Given(NamedTuple):
    """A graph, the run of it that failed, and the job that its node was carried out by."""

    job: str
    run_id: str
    inner: str


class Past(NamedTuple):
    """What became of the parts of a graph since its run."""

    inner: str
    """`replaced`, `removed`, or `same`."""
    graph: str = "same"
    is_nested: bool = False
    is_told: bool = False
    """The job is that of a graph that is told of failures."""


PASTS: Mapping[str, Past] = {
    "a job replaced": Past("replaced"),
    "a job removed": Past("removed"),
    "a job replaced, its graph removed": Past("replaced", graph="removed"),
    "a job and its graph replaced": Past("replaced", graph="replaced"),
    "a job of an inner graph replaced": Past("replaced", is_nested=True),
    "a job of an inner graph removed": Past("removed", is_nested=True),
    "a job of a told graph removed": Past("removed", is_told=True),
}
Way = Callable[[httpx2.Client, Any], httpx2.Response]


def rerun(**body: Any) -> Way:
    return lambda client, it: client.post(f"/api/v1/runs/{it.run_id}/rerun", json=body)


AGAIN: Mapping[str, Way] = {
    "rerun": BACK["rerun"],
    "rerun all": rerun(allNodes=True),
    "rerun failed": rerun(fromFailed=True),
    "rerun from node": rerun(fromNode="n"),
    "rerun many": BACK["rerun many"],
    "redrive": GONE["redrive"],
    "redrive many": GONE["redrive many"],
}
"""Ways to do again what the failed run did."""
FRESH: Mapping[str, Way] = {
    "submit": lambda client, it: client.post("/api/v1/runs", json={"jobId": it.job}),
    "submit many": lambda client, it: client.post(
        "/api/v1/runs/bulk", json={"runs": [{"jobId": it.job}]}
    ),
    "trigger": lambda client, it: client.post(f"/api/v1/jobs/{it.job}/trigger", json={}),
    "start schedule": GONE["start schedule"],
    "resume schedule": GONE["resume schedule"],
    "backfill": lambda client, it: client.post(f"/api/v1/schedules/{it.job}/backfill", json=RANGE),
    "send": lambda client, it: client.post("/api/v1/events", json={"event": it.job}),
}
"""Ways to start a graph that is in force."""


def graph(name: str, node: Node, **more: Any) -> JobSpec:
    target = GraphTarget(graph=Graph(name=name, nodes=(node,)))
    return JobSpec(name=name, target=target, queue="mail", **more)


def specs_of(name: str, target: Target, past: Past) -> list[JobSpec]:
    """The job inside, what is around it, and the graph that is started."""
    inner = JobSpec(name=f"{name}.n", target=target, queue="mail")
    if past.is_told:
        told = graph(f"{name}-told", Node(name="n", job=inner.name))
        return [inner, told, JobSpec(name=name, target=NOW, queue="mail", on_failure=told.name)]
    if past.is_nested:
        middle = graph(f"{name}-middle", Node(name="n", job=inner.name))
        return [inner, middle, graph(name, Node(name="n", graph=middle.name))]
    return [inner, graph(name, Node(name="n", job=inner.name))]


def given(served: Served, target: Target, past: Past) -> Given:
    """A graph was in force and a run of it failed; then its parts changed."""
    run_id, worker_id = new_id(), new_id()
    name = f"it-{run_id[-12:]}"
    inner, *_, spec = specs = specs_of(name, target, past)
    worker = NewWorker(
        id=worker_id, name="w", host="h", pid=1, queues=("mail",), slots=1, version="1"
    )

    def make(tx: Any) -> None:
        for each in specs:
            define(tx, each, origin="api", **AT)
        given_schedule(tx, name, job=name, **AT)
        listening = Schedule(trigger=OnEvent(event=name))
        how: Any = {"origin": "api", "who": "test", "compiled": TABLES, "new_id": new_id}
        schedules.put(tx, f"{name}-heard", listening, job=name, **how, **AT)
        register(tx, worker, lease_ms=60_000, **AT)
        submit(tx, [NewRun(id=run_id, job=name, version=1, queue="mail")], **AT)
        claim(tx, jobs=json.dumps([name]), queues=["mail"], worker_id=worker_id, limit=1, **AT)
        error = '{"type":"ValueError","message":"broken"}'
        finish(tx, [Verdict(run_id=run_id, fence=1, verb="fail", error=error)], **AT)

    def change(tx: Any) -> None:
        since = now_ms(tx)  # together, as what a file brings
        for what, each in ((past.inner, inner), (past.graph, spec)):
            if what == "removed":
                remove(tx, each.name, **AT)
            elif what == "replaced":
                new = msgspec.structs.replace(each, target=NOW)
                define(tx, new, origin="api", since=since, **AT)

    served.app.store.write(make)
    moment = served.app.store.read(now_ms)
    wait_until(lambda: served.app.store.read(now_ms) > moment)
    served.app.store.write(change)
    return Given(name, run_id, inner.name)


def tried(served: Served, kind: str, past: Past, way: Way, roles: tuple[str, ...]) -> object:
    """None if only a credential with the right was let through; otherwise what happened."""
    it = given(served, TARGETS[kind], past)
    without, powerful = served.client(*roles), served.client(*roles, "exec")
    before = count_of_acts(served)
    first = way(without, it)
    kept = before == count_of_acts(served)
    second = way(powerful, it)
    if kind == "public":
        is_good = first.status_code in DONE
    else:
        is_good = first.status_code == 403 and kept and second.status_code in DONE
    return None if is_good else (kind, roles, first.text, kept, second.text)


@pytest.mark.slow
@pytest.mark.parametrize("called", [name for name, past in PASTS.items() if not past.is_told])
def test_what_a_run_of_a_graph_did_is_done_again_only_with_the_right_to_it(
    served: Served, called: str
) -> None:
    past = PASTS[called]
    ways = dict(AGAIN)
    if past.graph == "replaced":  # a redrive starts what the job is now
        ways = {name: way for name, way in AGAIN.items() if not name.startswith("redrive")}
    wrong = {
        (kind, name): found
        for kind in TARGETS
        for name, way in ways.items()
        for roles in (("operator",), ("author",), ("admin",))[: 3 if kind == "program" else 1]
        if (found := tried(served, kind, past, way, roles)) is not None
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "called", [name for name, past in PASTS.items() if past.inner == "removed"]
)
def test_a_graph_in_force_starts_a_job_that_was_removed_only_with_the_right_to_it(
    served: Served, called: str
) -> None:
    wrong = {
        (kind, name): found
        for kind in TARGETS
        for name, way in FRESH.items()
        if (found := tried(served, kind, PASTS[called], way, ("operator",))) is not None
    }
    assert wrong == {}


@pytest.mark.parametrize("way", [*FRESH, "rerun"])
def test_a_graph_in_force_whose_jobs_are_in_force_is_started_by_operators(
    served: Served, way: str
) -> None:
    for is_nested in (False, True):
        it = given(served, TARGETS["program"], Past("same", is_nested=is_nested))

        answer = {**FRESH, **AGAIN}[way](served.client("operator"), it)

        assert answer.status_code in DONE, answer.text


def test_weights_bring_back_what_the_nodes_of_that_version_were(served: Served) -> None:
    """Once somebody with the right has set them, operators start it, and run it again."""
    author, powerful = served.client("author"), served.client("author", "exec")
    operator = served.client("operator")
    wrong: dict[str, list[int]] = {}
    for kind, target in TARGETS.items():
        it = given(served, target, PASTS["a job and its graph replaced"])
        path = f"/api/v1/jobs/{it.job}/weights"
        codes = [
            author.put(path, json={"1": 100}).status_code,
            powerful.put(path, json={"1": 100}).status_code,
            operator.post("/api/v1/runs", json={"jobId": it.job}).status_code,
            operator.post(f"/api/v1/runs/{it.run_id}/rerun").status_code,
        ]
        if codes != [200 if kind == "public" else 403, 200, 201, 201]:
            wrong[kind] = codes
        served.app.store.write(partial(remove, name=it.inner, **AT))
        after = operator.post("/api/v1/runs", json={"jobId": it.job}).status_code
        if after != (201 if kind == "public" else 403):
            wrong[f"{kind}, removed"] = [after]
    assert wrong == {}


def test_an_author_without_the_right_makes_no_schedule_of_a_graph_that_names_a_removed_program(
    served: Served,
) -> None:
    it = given(served, TARGETS["program"], PASTS["a job removed"])
    path, body = f"/api/v1/schedules/{it.job}-put", {"job": it.job, "expression": "@daily"}

    first = served.client("author").put(path, json=body)
    second = served.client("author", "exec").put(path, json=body)

    assert (first.status_code, second.status_code) == (403, 200), first.text
