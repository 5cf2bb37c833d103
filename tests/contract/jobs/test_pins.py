"""A run of a graph carries out the versions of its nodes' jobs that came with its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rota.engine.graphs.control import rerun_graph
from rota.engine.jobs.apply import apply
from rota.engine.jobs.definitions import define, make_current
from rota.engine.runs.rerun import rerun
from rota.engine.runs.submit import submit
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Map, Node
from rota.model.jobs.apply_plan import Wish
from rota.model.jobs.bundle import Bundle
from rota.model.jobs.spec import CommandTarget, GraphTarget, JobSpec, PythonTarget
from rota.model.runs.run import NewRun
from rota.model.states import State
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, Clock, look
from tests.contract.graphs.builders import JOB, Flow, forget_courses, graph, node


def work(number: int) -> JobSpec:
    """A definition of the job of all nodes; another number is another one."""
    return JobSpec(name=JOB, target=PythonTarget(ref=f"m:f{number}"))


def deploy(store: Store, *specs: JobSpec | Graph) -> dict[str, int]:
    """All of it at one moment, as a start of code does it; gives the versions."""
    jobs = [
        JobSpec(name=each.name, target=GraphTarget(graph=each)) if isinstance(each, Graph) else each
        for each in specs
    ]

    def bring(tx: Tx) -> dict[str, int]:
        row = tx.one("now")
        assert row is not None
        return {spec.name: define(tx, spec, namespace=HOME, since=row["now"]) for spec in jobs}

    return store.write(bring)


def ask(store: Store, version: int, name: str = "flow") -> str:
    run = NewRun(id=new_id(), job=name, version=version, args="{}")
    store.write(lambda tx: submit(tx, [run], namespace=HOME))
    return run.id


def versions(flow: Flow) -> list[tuple[str | None, int]]:
    """The nodes whose runs can be taken now, and the versions that they are carried out with."""
    flow.leases.clear()
    for _ in range(3):  # graphs inside of graphs
        flow.begin()
    return sorted((lease.node, lease.version) for lease in flow.claim())


def version_of_node(store: Store, run_id: str, name: str) -> int:
    """What its run is to be carried out with, whether it has one yet or not."""
    rows = store.read(lambda tx: tx.all("existing_nodes", ids=json.dumps([run_id])))
    return next(int(row["version"]) for row in rows if row["name"] == name)


FLOW = graph([node("a")])
WIDER = graph([node("a"), node("b")])


def test_a_run_that_waits_keeps_the_versions_of_its_submit(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, FLOW)
    first = deploy(store, work(1), FLOW)
    ask(store, first["flow"])
    clock.advance(1_000)

    second = deploy(store, work(2), FLOW)
    clock.advance(1_000)
    assert second["flow"] == first["flow"], "the graph itself is the same"
    assert versions(flow) == [("a", first[JOB])]

    ask(store, second["flow"])
    assert versions(flow) == [("a", second[JOB])]


def test_a_submit_of_an_older_version_of_the_graph_gets_what_came_with_it(
    store: Store, worker: str, clock: Clock
) -> None:
    """As of a program of old code, which goes on in the middle of a deploy."""
    flow = Flow(store, worker, FLOW)
    first = deploy(store, work(1), FLOW)
    clock.advance(1_000)
    second = deploy(store, work(2), WIDER)
    ask(store, first["flow"])
    clock.advance(1_000)
    ask(store, first["flow"])
    ask(store, second["flow"])

    old, new = first[JOB], second[JOB]
    assert versions(flow) == [("a", old), ("a", old), ("a", new), ("b", new)]


def test_a_version_that_a_person_went_back_to_brings_no_old_jobs_along(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = Flow(store, worker, FLOW)
    first = deploy(store, work(1), FLOW)
    clock.advance(1_000)
    second = deploy(store, work(2), WIDER)
    clock.advance(1_000)
    spec = JobSpec(name="flow", target=GraphTarget(graph=FLOW))
    store.write(lambda tx: make_current(tx, spec, first["flow"], namespace=HOME))
    clock.advance(1_000)

    ask(store, first["flow"])

    assert versions(flow) == [("a", second[JOB])], "they did not go back"


@pytest.mark.parametrize("part", ["whole", "nodes"])
def test_a_rerun_uses_the_versions_of_the_first_run(
    store: Store, worker: str, clock: Clock, part: str
) -> None:
    flow = Flow(store, worker, FLOW)
    first = deploy(store, work(1), FLOW)
    run = ask(store, first["flow"])
    assert versions(flow) == [("a", first[JOB])]
    flow.end(run, "a", verb="fail")
    assert look(store, run).state is State.FAILED
    clock.advance(1_000)
    deploy(store, work(2), FLOW)
    clock.advance(1_000)

    for _ in range(2):  # the second is one of the first
        again = new_id()
        at: dict[str, Any] = {"namespace": HOME, "new_id": again, "who": "ann"}
        verb = rerun if part == "whole" else rerun_graph
        store.write(lambda tx, run=run, at=at, verb=verb: verb(tx, run, **at))  # type: ignore[misc]
        assert versions(flow) == [("a", first[JOB])]
        flow.end(again, "a", verb="fail")
        run = again
        clock.advance(1_000)


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_graph_inside_of_another_goes_by_the_submit_of_the_outermost(
    store: Store, worker: str, clock: Clock, *, is_forgotten: bool
) -> None:
    inner = graph([node("a"), node("m", "a", map=Map(over=[1, 2], into="x"))], name="inner")
    middle = graph([Node(name="deep", graph="inner")], name="middle")
    outer = graph([node("before"), Node(name="in", graph="middle", after=("before",))])
    flow = Flow(store, worker, inner, middle, outer)
    first = deploy(store, work(1), inner, middle, outer)
    run = ask(store, first["flow"])
    assert versions(flow) == [("before", first[JOB])]
    clock.advance(1_000)

    deploy(store, work(2), inner, middle, outer)
    clock.advance(1_000)
    if is_forgotten:
        forget_courses(store)
    flow.end(run, "before")
    assert versions(flow) == [("a", first[JOB])]
    clock.advance(1_000)
    if is_forgotten:
        forget_courses(store)
    (place,) = flow.leases
    flow.end(place[0], "a")

    assert versions(flow) == [("m", first[JOB]), ("m", first[JOB])]


def test_a_job_that_came_after_the_submit_is_carried_out_in_its_first_version(
    store: Store, worker: str, clock: Clock
) -> None:
    late = graph([Node(name="a", job="late")], name="flow")
    flow = Flow(store, worker, late)
    run = ask(store, flow.version)
    clock.advance(1_000)
    deploy(store, JobSpec(name="late", target=PythonTarget(ref="m:f1")))
    deploy(store, JobSpec(name="late", target=PythonTarget(ref="m:f2")))

    flow.begin()

    assert version_of_node(store, run, "a") == 1


def test_a_change_that_keeps_no_record_of_its_time_counts_as_soon_as_it_can(
    store: Store, worker: str, clock: Clock
) -> None:
    """As by a process of the first release, beside this one on PostgreSQL."""
    flow = Flow(store, worker, FLOW)
    first = deploy(store, work(1), FLOW)
    clock.advance(1_000)
    second = deploy(store, work(2), FLOW)
    store.write(
        lambda tx: tx.execute(
            "set_current_version",
            namespace=HOME,
            name=JOB,
            version=first[JOB],
            origin="code",
            app=None,
        )
    )
    clock.advance(1_000)

    ask(store, second["flow"])

    assert versions(flow) == [("a", first[JOB])]


def test_moments_of_one_job_never_go_back(store: Store, clock: Clock) -> None:
    """Two definitions that wait for each other may be noted in another order than they began."""
    deploy(store, work(1))
    clock.advance(1_000)
    deploy(store, work(2))
    before = clock.ms - 500
    store.write(lambda tx: define(tx, work(3), namespace=HOME, since=before))

    rows = store.read(lambda tx: tx.all("version_changes", namespace=HOME, names=json.dumps([JOB])))

    assert [row["version"] for row in rows] == [1, 2, 3]
    assert rows[-1]["since"] == rows[-2]["since"]


def test_a_file_that_changes_a_graph_and_its_program_leaves_runs_that_wait_alone(
    store: Store, worker: str, clock: Clock
) -> None:
    def bundle(*argv: str, **args: Any) -> Bundle:
        flow = Graph(name="gp", nodes=(Node(name="b", job="gp.b", args=args),))
        jobs = {
            "gp.b": JobSpec(
                name="gp.b",
                target=CommandTarget(argv=argv),
                parameters=dict.fromkeys(args, "str"),
            ),
            "gp": JobSpec(name="gp", target=GraphTarget(graph=flow)),
        }
        return Bundle(name="gp.yaml", jobs=jobs)

    def bring(each: Bundle) -> None:
        compiled = CompiledSchedules(rules_version(), lambda: 0.5)
        store.write(
            lambda tx: apply(
                tx,
                [each],
                Wish(),
                namespace=HOME,
                who="ann",
                compiled=compiled,
                new_id=new_id,
            )
        )

    flow = Flow(store, worker, FLOW)
    flow.names = ("gp",)
    bring(bundle("echo", "{x}", x=1))
    old = ask(store, 1, "gp")
    clock.advance(1_000)
    bring(bundle("echo", "{y}", y=1))
    clock.advance(1_000)
    new = ask(store, 2, "gp")
    flow.begin()

    assert [version_of_node(store, run, "b") for run in (old, new)] == [1, 2]
