"""Deadlines: a run that misses one, one that will, and a schedule that starts nothing."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rota.engine.jobs.definitions import define
from rota.engine.runs.deadlines import deadline_of, with_deadline
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.model.runs.run import RunView
from rota.model.view import JsonText
from rota.store.base import Store
from tests.contract.alerts.builders import given_rule, open_incidents, titles, watch
from tests.contract.builders import (
    HOME,
    Clock,
    claim_some,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
)
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.builders import (
    HOUR,
    MINUTE,
    every,
    fire_some,
    given_job,
    next_ms,
    put,
)

REPORT = "report"


def given_report(store: Store, deadline: str = "1h", **fields: Any) -> int:
    return given_job(store, name=REPORT, deadline=deadline, **fields)


def shown(store: Store, run_id: str) -> RunView:
    return store.read(lambda tx: with_deadline(tx, look(store, run_id)))


def given_rules(store: Store) -> None:
    given_rule(store, on=("deadline.missed", "deadline.at_risk"))


def past_runs(store: Store, clock: Clock, *took: int) -> None:
    for ms in took:
        lease = given_lease(store, job=REPORT)
        clock.advance(ms)
        finish_with(store, lease)


def kinds(store: Store) -> list[str]:
    return [each["kind"] for each in open_incidents(store)]


def test_a_run_shows_its_deadline_and_whether_it_was_missed(store: Store, clock: Clock) -> None:
    given_report(store)
    started = clock.ms
    run_id = given_run(store, job=REPORT)

    view = shown(store, run_id)
    assert view.deadline is not None
    assert abs(view.deadline.ms - started - HOUR) < MINUTE
    assert not view.deadline_missed

    clock.advance(2 * HOUR)
    assert shown(store, run_id).deadline_missed


def test_a_run_of_a_job_without_a_deadline_has_none(store: Store) -> None:
    given_job(store)

    assert shown(store, given_run(store)).deadline is None


def test_a_run_keeps_the_deadline_of_its_version(store: Store, clock: Clock) -> None:
    given_report(store, "1h")
    run_id = given_run(store, job=REPORT)
    given_report(store, "3h")

    clock.advance(2 * HOUR)

    assert shown(store, run_id).deadline_missed


def test_a_run_that_runs_past_its_deadline_is_told_until_it_ends(
    store: Store, clock: Clock
) -> None:
    given_report(store)
    given_rules(store)
    lease = given_lease(store, job=REPORT)
    assert watch(store) == 0
    clock.advance(HOUR + MINUTE)

    assert [watch(store), watch(store)] == [1, 0]
    (incident,) = open_incidents(store)
    assert (incident["kind"], incident["job"]) == ("deadline.missed", REPORT)
    assert str(incident["run_id"]) == lease.run_id
    assert ": it has run for 1h 1m" in titles(store)[0]

    finish_with(store, lease)
    clock.advance(2 * MINUTE)

    assert watch(store) == 1
    assert titles(store)[-1].startswith("Over: report missed its deadline")
    assert watch(store, sweeps=True) == 0, "the same run opens no second incident"


def test_a_run_that_waits_past_its_deadline_is_told(store: Store, clock: Clock) -> None:
    given_report(store, queue="slow")
    given_rules(store)
    given_run(store, job=REPORT, queue="slow")
    clock.advance(HOUR + MINUTE)

    watch(store)

    assert kinds(store) == ["deadline.missed"]
    assert titles(store)[0].endswith("it is queued in the queue slow")


def test_a_run_that_waits_for_a_retry_is_told(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    finish_with(store, given_lease(store, job=REPORT), "retry", delay_ms=3 * HOUR)
    clock.advance(HOUR + MINUTE)

    watch(store)

    assert titles(store)[0].endswith("it is scheduled in the queue default")


def test_a_run_that_ended_late_while_nobody_looked_is_told(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    lease = given_lease(store, job=REPORT)
    clock.advance(HOUR + 5 * MINUTE)
    finish_with(store, lease)

    watch(store)

    assert titles(store)[0].endswith("it ended 5m later")
    assert str(open_incidents(store)[0]["run_id"]) == lease.run_id


def test_a_run_that_ended_in_time_is_not_told(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    lease = given_lease(store, job=REPORT)
    clock.advance(HOUR - MINUTE)
    finish_with(store, lease)
    clock.advance(5 * MINUTE)

    assert watch(store, sweeps=True) == 0


def test_many_late_runs_of_a_job_are_one_incident(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    for _ in range(5):
        given_run(store, job=REPORT)
    clock.advance(2 * HOUR)

    assert watch(store) == 1
    assert titles(store)[0].endswith(", and so did 4 more")


def test_a_run_that_will_take_too_long_is_told_before(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    past_runs(store, clock, 50 * MINUTE, 50 * MINUTE, 50 * MINUTE)
    run_id = given_run(store, job=REPORT)
    assert watch(store) == 0

    clock.advance(20 * MINUTE)

    assert watch(store) == 1
    assert kinds(store) == ["deadline.at_risk"]
    assert "and is expected to end at" in titles(store)[0]
    assert str(open_incidents(store)[0]["run_id"]) == run_id


def test_a_risk_is_over_when_the_run_ends_in_time(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    past_runs(store, clock, 50 * MINUTE, 50 * MINUTE, 50 * MINUTE)
    given_run(store, job=REPORT)
    clock.advance(20 * MINUTE)
    watch(store)
    (lease,) = claim_some(store, given_worker(store), jobs=(REPORT,))

    finish_with(store, lease)
    watch(store)

    assert kinds(store) == []
    assert titles(store)[-1].startswith("Over: report has to end by")


def test_a_risk_that_came_true_is_not_said_to_be_over(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rules(store)
    past_runs(store, clock, 50 * MINUTE, 50 * MINUTE, 50 * MINUTE)
    given_run(store, job=REPORT)
    clock.advance(20 * MINUTE)
    watch(store)
    clock.advance(HOUR)

    watch(store)

    assert sorted(kinds(store)) == ["deadline.at_risk", "deadline.missed"]
    assert not any(each.startswith("Over") for each in titles(store))


def test_a_missed_deadline_is_no_risk_any_more(store: Store, clock: Clock) -> None:
    given_report(store)
    given_rule(store, on=("deadline.at_risk",))
    given_run(store, job=REPORT)
    clock.advance(2 * HOUR)

    assert watch(store) == 0


def test_the_node_that_is_slower_than_usual_is_blamed(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = given_flow(store, worker)
    for _ in range(3):
        run_flow(flow, clock)
    given_rules(store)
    flow.start()
    flow.claim()
    assert watch(store) == 0
    clock.advance(50 * MINUTE)

    watch(store)

    assert kinds(store) == ["deadline.at_risk"]
    assert titles(store)[0].endswith(": node a has run for 50m, usually 10m")


def test_the_node_that_has_not_begun_is_blamed(store: Store, worker: str, clock: Clock) -> None:
    flow = given_flow(store, worker)
    for _ in range(3):
        run_flow(flow, clock)
    given_rules(store)
    run = flow.start()
    flow.claim()
    clock.advance(5 * MINUTE)
    flow.end(run, "a")
    clock.advance(HOUR)

    watch(store)

    assert "deadline.missed" in kinds(store)
    assert titles(store)[0].endswith(": node b has not begun")


def given_flow(store: Store, worker: str) -> Flow:
    """A graph of two nodes that has to end within an hour."""
    shape = graph([node("a"), node("b", "a")])
    flow = Flow(store, worker, shape)
    spec = JobSpec(name=shape.name, target=GraphTarget(graph=shape), deadline="1h")
    flow.version = store.write(lambda tx: define(tx, spec, namespace=HOME))
    return flow


def run_flow(flow: Flow, clock: Clock) -> None:
    run = flow.start()
    for name, minutes in (("a", 10), ("b", 20)):
        flow.claim()
        clock.advance(minutes * MINUTE)
        flow.end(run, name)


def test_the_deadline_of_a_schedule_is_that_of_its_runs(store: Store, clock: Clock) -> None:
    given_report(store, "5h")
    put(store, every("1h", deadline="30m"), job=REPORT)
    given_rules(store)
    clock.advance(HOUR)
    fire_some(store)
    assert watch(store) == 0

    clock.advance(31 * MINUTE)

    watch(store)
    assert kinds(store) == ["deadline.missed"]


def test_a_schedule_that_has_started_nothing_by_the_deadline_is_told(
    store: Store, clock: Clock
) -> None:
    given_report(store)
    first = next_ms(put(store, every("6h"), job=REPORT, name="slow"))
    assert first is not None
    given_rules(store)
    clock.advance(first - clock.ms)
    assert watch(store) == 0

    clock.advance(HOUR + MINUTE)

    assert watch(store) == 1
    assert "the schedule slow has not started the run for" in titles(store)[0]
    fire_some(store)
    watch(store)
    assert [each["subject"] for each in open_incidents(store)] == [REPORT]


def test_a_backfill_has_no_deadline(store: Store) -> None:
    given_report(store)
    origin = '{"schedule":"s","kind":"backfill","scheduledFor":1000,"backfill":"x"}'
    view = shown(store, given_run(store, job=REPORT))
    filled = replace(view, origin=JsonText(origin))
    assert store.read(lambda tx: deadline_of(tx, filled)) is None


def test_without_deadlines_a_look_finds_nothing(store: Store, clock: Clock) -> None:
    given_rules(store)
    given_lease(store)
    clock.advance(HOUR)

    assert watch(store) == 0
