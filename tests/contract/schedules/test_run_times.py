"""The time a run is for reaches the work: nodes of graphs, and arguments of schedules."""

from __future__ import annotations

import json

import pytest

from rota.engine.runs.finish import finish
from rota.engine.schedules.fire import fire
from rota.errors import BadGraph
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Map
from rota.model.graphs.graph import Node as GraphNode
from rota.model.runs.run import Lease
from rota.model.schedules.definitions import Cron, OnEvent, Schedule
from rota.rules.graphs import plan_graph
from rota.rules.runs.times import run_values
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, Clock, claim_some, look
from tests.contract.events.test_events import CLOSED, PARAMETERS, tell
from tests.contract.graphs.builders import Flow, graph, node, verdict_of
from tests.contract.schedules.backfill_builders import begin, fill_some
from tests.contract.schedules.builders import (
    DAY,
    TABLES,
    every,
    fire_some,
    given_job,
    given_schedule,
    put,
    runs_of,
    show,
    trigger_now,
)

ON = START_MS // DAY * DAY
SCHEDULED_DAY = {"$run": "scheduled_day"}


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def inner_graph() -> Graph:
    deep = node("deep", args={"day": {"$expr": "shift(run.scheduled_day, '-1d')"}})
    return graph([deep], name="inner")


def outer_graph() -> Graph:
    return graph(
        [
            node("first", args={"day": SCHEDULED_DAY}),
            node("wanted", "first", when="run.started_by == 'time'"),
            node("items", args={"day": SCHEDULED_DAY}, map=Map(over=[1, 2], into="item")),
            GraphNode(name="within", graph="inner"),
        ],
        name="outer",
    )


def carried_out(flow: Flow, run_id: str) -> list[Lease]:
    """End all nodes, of the graph and of those within it; their leases."""
    found: list[Lease] = []
    while leases := flow.claim():
        found += leases
        for lease in leases:
            flow.leases.pop((lease.parent_id or "", lease.node or "", lease.item))
        verdicts = [verdict_of(lease) for lease in leases]
        flow.store.write(lambda tx, ended=verdicts: finish(tx, ended, namespace=HOME))  # type: ignore[misc]
    assert look(flow.store, run_id).state == "success"
    return found


def test_every_node_of_a_scheduled_graph_is_for_the_instant_of_its_run(
    store: Store, clock: Clock, worker: str
) -> None:
    flow = Flow(store, worker, inner_graph(), outer_graph())
    put(store, every("1d", zone="Europe/Paris"), job="outer")
    clock.advance(DAY)
    fire_some(store)
    (run,) = runs_of(store)

    leases = carried_out(flow, run.id)

    day = run_values(str(run.origin))["scheduled_day"]
    assert sorted((each.node or "", each.item) for each in leases) == [
        ("deep", None),
        ("first", None),
        ("items", 0),
        ("items", 1),
        ("wanted", None),
    ]
    assert {each.origin for each in leases} == {run.origin}
    args = {each.node: json.loads(each.args) for each in leases if each.item in (None, 1)}
    assert args["first"] == {"day": day}
    assert args["items"] == {"day": day, "item": 2}
    assert args["deep"]["day"] < str(day)


def test_only_the_run_of_a_schedule_itself_tells_it_of_its_end(
    store: Store, clock: Clock, worker: str
) -> None:
    flow = Flow(store, worker, inner_graph(), outer_graph())
    put(store, every("1d", overlap="skip", pause_after=1), job="outer")
    clock.advance(DAY)
    fire_some(store)
    (run,) = runs_of(store)

    leases = flow.claim()

    assert leases
    assert not any(each.is_fired for each in leases)
    flow.end(run.id, "first")
    assert show(store).state == "active"
    (own,) = claim_other(store, worker)
    assert own.is_fired


def claim_other(store: Store, worker: str) -> list[Lease]:
    given_job(store)
    put(store, every("1d"), name="plain")
    trigger_now(store, name="plain")
    return claim_some(store, worker)


def test_arguments_of_a_schedule_hold_the_time_of_each_firing(store: Store, clock: Clock) -> None:
    args = {"day": SCHEDULED_DAY, "before": {"$expr": "shift(run.scheduled_day, '-1d')"}}
    given_schedule(store, "1d", args=args, catchup="all", catchup_window="7d")
    clock.advance(2 * DAY)
    fire_some(store)

    found = [json.loads(run.args) for run in runs_of(store)]

    days = [run_values(str(run.origin))["scheduled_day"] for run in runs_of(store)]
    assert [each["day"] for each in found] == days
    assert len(set(days)) == 2
    assert found[1]["before"] == days[0]


def test_a_backfill_of_ten_hours_does_the_work_of_ten_hours(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h", args={"hour": {"$run": "scheduled_for"}})
    begun = begin(store, hours=10, parallel=10)
    fill_some(store)

    runs = runs_of(store)

    hours = {json.loads(run.args)["hour"] for run in runs}
    assert len(runs) == len(hours) == 10
    assert {run_values(str(run.origin))["backfill"] for run in runs} == {begun.id}


def test_a_start_by_hand_is_for_the_time_it_is_given(store: Store, clock: Clock) -> None:
    given_schedule(store, "1d", args={"day": SCHEDULED_DAY})

    first = trigger_now(store, instant=ON - 3 * DAY)
    second = trigger_now(store, instant=ON - 3 * DAY, args='{"day":{"$run":"interval_start_day"}}')

    days = [json.loads(look(store, each.run_id or "").args)["day"] for each in (first, second)]
    origin = str(look(store, first.run_id or "").origin)
    assert days == [run_values(origin)["scheduled_day"], run_values(origin)["interval_start_day"]]


def test_the_payload_of_an_event_is_never_evaluated(store: Store, clock: Clock) -> None:
    given_job(store, parameters=PARAMETERS)
    listening = Schedule(trigger=OnEvent(event=CLOSED), args={"note": SCHEDULED_DAY, "order": 1})
    put(store, listening)

    tell(store, {"order": {"$expr": "1 + 1"}})

    (run,) = runs_of(store)
    day = run_values(str(run.origin))["scheduled_day"]
    assert json.loads(run.args) == {"note": day, "order": {"$expr": "1 + 1"}}


def test_a_time_without_a_value_stops_its_schedule_and_no_other(store: Store, clock: Clock) -> None:
    given_schedule(store, "1d", name="good")
    bad = {"far": {"$expr": "shift(run.scheduled_day, '3000000d')"}}
    put(store, Schedule(trigger=Cron(expression="0 0 * * *"), args=bad), name="bad")
    clock.advance(DAY)

    done = store.write(lambda tx: fire(tx, limit=10, compiled=TABLES, new_id=new_id))

    assert [name for name, _ in done.broken] == ["bad"]
    assert "args.far" in done.broken[0][1]
    assert (show(store, "good").state, show(store, "bad").state) == ("active", "error")
    assert len(runs_of(store, "good")) == 1
    assert "args.far" in (show(store, "bad").note or "")


def test_a_graph_run_by_hand_has_no_times_and_its_conditions_see_that(
    store: Store, worker: str
) -> None:
    shape = graph([node("a", when="run.schedule == null"), node("b", when="run.schedule != null")])
    flow = Flow(store, worker, shape)
    run_id = flow.start()

    assert flow.running(run_id) == {"a"}
    assert flow.states(run_id)["b"] == "skipped"


def test_a_graph_that_names_a_wrong_time_is_refused_with_the_node() -> None:
    with pytest.raises(BadGraph, match=r"node 'a': args\.day: run has no 'dya'"):
        plan_graph(graph([node("a", args={"day": {"$run": "dya"}})]))
