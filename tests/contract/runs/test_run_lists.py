"""Lists of runs: whichever way they are found, they are the same runs in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rota.engine.graphs.control import pause
from rota.engine.runs import lists as run_lists
from rota.engine.runs.search import candidates
from rota.engine.runs.search import pages as label_pages
from rota.engine.runs.search.labels import labels_of
from rota.engine.runs.search.pages import RunPage
from rota.model.runs.labels import Labels
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.rules.runs.argument_filters import parse_filters
from rota.rules.runs.labels import matches, parse_conditions
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    START_MS,
    Clock,
    claim_some,
    finish_all,
    given_run,
    given_state,
    new_run,
    submit_all,
    verdict,
)
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.builders import given_job, given_schedule, trigger_now

FOREIGN = "other"
RUNNING = {State.RUNNING, State.SUSPENDED}
"""What people call running: a run of a graph is suspended while its nodes run."""
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    *({"state": state} for state in sorted(State)),
    *({"job": job} for job in ("noop", "mail", "nosuch")),
    *({"queue": queue} for queue in ("default", "slow", "nosuch")),
    {"queues": ["slow", "default"]},
    {"queues": []},
    {"job": "noop", "state": State.FAILED},
    {"job": "mail", "state": State.QUEUED},
    {"job": "mail", "state": State.SCHEDULED},
    {"job": "mail", "queue": "slow"},
    {"error": "valueerror"},
    {"error": "nowhere"},
    {"text": "needle"},
    {"args": parse_filters(["n=needle"])},
    {"args": parse_filters(["n=needles"])},
    {"labels": parse_conditions(["team=billing"])},
    {"labels": parse_conditions(["team=billing"]), "state": State.FAILED},
    {"labels": parse_conditions(["team"]), "job": "mail", "queue": "slow"},
    {"labels": parse_conditions(["n>=1"])},
    {"labels": parse_conditions(["n>0", "team=billing"]), "text": "needle"},
    {"labels": parse_conditions(["team=nosuch"])},
    {"scheduled_since": 0, "scheduled_until": START_MS + 1},
    {"scheduled_since": START_MS + 1, "labels": parse_conditions(["team"])},
    {"scheduled_since": 0, "schedule": "s"},
    {"schedule": "s"},
    {"schedule": "nosuch"},
    {"since": 1},
    {"until": 1},
    {"steps": False},
    {"steps": False, "state": State.QUEUED},
    {"steps": False, "job": "work"},
)


@pytest.fixture(params=["few", "many"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything is little enough to be sorted; or nothing is, and pages look two rows far."""
    if request.param == "many":
        monkeypatch.setattr(run_lists, "FEW", 0)
        monkeypatch.setattr(run_lists, "NEAR", 1)
        monkeypatch.setattr(run_lists, "FAR", 2)
        monkeypatch.setattr(run_lists, "FAR_BY_TEXT", 2)
        monkeypatch.setattr(label_pages, "FAR_BY_LABEL", 2)
        monkeypatch.setattr(candidates, "CHUNK", 1)
    return str(request.param)


def fill(store: Store, worker: str, clock: Clock) -> None:
    """Runs of all states, jobs and queues, some of another namespace between them."""
    given_job(store)
    given_schedule(store, "1h", name="s")
    for state in sorted(set(State) - {State.QUEUED}):
        given_state(store, state)
    given_state(store, State.QUEUED)
    for round_ in range(3):
        clock.advance(10)
        labels: Labels = {"team": "billing" if round_ else "ops", "n": round_}
        needle = new_run(job="mail", queue="slow", args='{"n":"needle"}', labels=labels)
        submit_all(store, [needle, new_run(labels={"team": "billing"})])
        submit_all(store, [new_run(job="mail", delay_ms=60_000), new_run(queue="slow")])
        given_run(store, namespace=FOREIGN)
        trigger_now(store, name="s", request=str(round_))
        leases = claim_some(store, worker, limit=2)
        verdicts = [
            verdict(lease, "fail", kind="error", error=ERROR) if number else verdict(lease)
            for number, lease in enumerate(leases)
        ]
        finish_all(store, verdicts)
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    flow.start()
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "a")


def is_meant(run: RunView, labels: Labels, filters: dict[str, Any]) -> bool:
    at = run.scheduled_for.ms if run.scheduled_for and run.parent_id is None else None
    tests: dict[str, Callable[[Any], bool]] = {
        "state": lambda said: run.state in (RUNNING if said is State.RUNNING else {said}),
        "job": lambda said: run.job == said,
        "queue": lambda said: run.queue == said,
        "queues": lambda said: run.queue in said,
        "schedule": lambda said: said == "s" and run.schedule_id is not None,
        "error": lambda said: run.error is not None and said in run.error.type.lower(),
        "text": lambda said: said in run.args,
        "since": lambda said: run.created_at.ms >= said,
        "until": lambda said: run.created_at.ms < said,
        "args": lambda said: f'"n":"{said[0].value}"' in run.args,
        "labels": lambda said: matches(said, labels),
        "scheduled_since": lambda said: at is not None and at >= said,
        "scheduled_until": lambda said: at is not None and at < said,
        "steps": lambda said: said or run.parent_id is None,
    }
    return all(tests[name](said) for name, said in filters.items())


def pages(store: Store, filters: dict[str, Any], *, limit: int) -> list[RunPage]:
    found: list[RunPage] = []
    before: str | None = None
    while not found or before is not None:
        at = before
        page = store.read(
            lambda tx: run_lists.page(tx, namespace=HOME, before=at, limit=limit, **filters)  # noqa: B023
        )
        found.append(page)
        before = page.next
    return found


@pytest.mark.usefixtures("way")
def test_pages_tell_each_run_that_is_meant_once_and_in_order(
    store: Store, worker: str, clock: Clock
) -> None:
    fill(store, worker, clock)
    all_runs = store.read(lambda tx: run_lists.runs(tx, namespace=HOME, limit=500))
    assert len({run.state for run in all_runs}) == len(State)
    assert {run.parent_id is None for run in all_runs} == {True, False}

    ids = [run.id for run in all_runs]
    labels = store.read(lambda tx: labels_of(tx, ids, namespace=HOME))
    for filters in FILTERS:
        wanted = [run.id for run in all_runs if is_meant(run, labels.get(run.id, {}), filters)]
        told = [run.id for page in pages(store, filters, limit=3) for run in page.runs]
        whole = store.read(
            lambda tx: run_lists.runs(tx, namespace=HOME, limit=500, **filters)  # noqa: B023
        )
        assert told == wanted, filters
        assert [run.id for run in whole] == wanted, filters


@pytest.mark.usefixtures("way")
def test_running_finds_graphs_that_go_on_and_not_those_that_are_paused(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    goes_on, paused = flow.start(), flow.start()
    store.write(lambda tx: pause(tx, paused, namespace=HOME))
    running = given_state(store, State.RUNNING)

    def told(state: State | None, limit: int) -> list[str]:
        found = pages(store, {"state": state, "steps": False}, limit=limit)
        return [run.id for page in found for run in page.runs]

    for limit in (1, 2, 50):
        assert told(State.RUNNING, limit) == sorted([running, goes_on], reverse=True)
        assert told(State.SUSPENDED, limit) == [paused, goes_on]
    everything = pages(store, {}, limit=50)
    assert frozenset().union(*(page.paused for page in everything)) == {paused}


def test_a_page_that_passes_over_too_many_says_where_it_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lists, "FEW", 0)
    monkeypatch.setattr(run_lists, "NEAR", 1)
    monkeypatch.setattr(run_lists, "FAR", 4)
    rare = given_run(store, job="rare")
    submit_all(store, [new_run() for _ in range(10)])

    found = pages(store, {"job": "rare"}, limit=5)

    assert [len(page.runs) for page in found] == [0, 0, 1]
    assert found[-1].runs[0].id == rare
    assert all(page.next for page in found[:-1])


def test_recent_runs_of_a_job_are_found_beside_any_backlog(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs, is parked or has ended, all older than what is looked at of the backlog."""
    waiting = {State.SCHEDULED, State.QUEUED}
    found_anyway = [given_state(store, state) for state in sorted(set(State) - waiting)]
    old = [*found_anyway, given_state(store, State.QUEUED)]
    given_run(store, job="mail")
    backlog = [given_state(store, State.SCHEDULED) for _ in range(8)]

    def lately(limit: int) -> list[str]:
        found = store.read(lambda tx: run_lists.lately(tx, "noop", namespace=HOME, limit=limit))
        return [run.id for run in found]

    assert lately(50) == sorted([*old, *backlog], reverse=True)
    for name, value in {"FEW": 0, "NEAR": 1, "FAR": 5}.items():
        monkeypatch.setattr(run_lists, name, value)
    cut = lately(50)
    assert set(found_anyway) <= set(cut)
    assert cut == sorted(cut, reverse=True)
    assert lately(1) == [max(backlog)]
