"""Deadlines that were missed, or that will be: found by a look for jobs that have one.

Nothing is stored for deadlines while runs go on. A look reads the live runs of these jobs and those
that have ended lately, and computes the deadline of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from statistics import median
from typing import NamedTuple

from rota.clock import to_text
from rota.engine.alerts.expected_end import ExpectedEnd, expected_end_of
from rota.engine.alerts.look import Look
from rota.engine.jobs.definitions import current_specs
from rota.engine.runs.deadlines import deadline_of
from rota.engine.runs.find import find_all, run_view
from rota.engine.schedules.compiled import read_schedule
from rota.errors import BadInput
from rota.model.alerts.finding import AlertFinding
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.rules.text.duration import format_duration
from rota.store.base import Row, Tx

MOST_JOBS = 1_000
MOST_RUNS = 1_000
"""Runs of each kind that a look reads: those that wait longest come first."""
RECENT = 30
LEAST_PAST = 3
"""Fewer successes in the past say nothing about how long the next run takes."""
GRAPHS = 20
"""Runs of graphs whose nodes a look reads, those whose deadlines come first."""


class DueRun(NamedTuple):
    """A run and when it has to have ended."""

    run: RunView
    deadline: int


def deadline_findings(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    """Yield what missed its deadline and what probably will; reads little without deadlines."""
    at = {"namespace": look.namespace, "limit": MOST_JOBS}
    names = [row["name"] for row in tx.all("jobs_with_deadlines", **at)]
    if not names:
        return
    recent = tx.all("recent_runs", namespace=look.namespace, names=json.dumps(names), limit=RECENT)
    live = sorted(_due(tx, _live(tx, names, look)), key=lambda each: each.deadline)
    late = [each for each in live if each.deadline < look.now]
    ended = list(_ended_late(tx, recent, look))
    yield from _missed(tx, (*late, *ended), look)
    yield from _at_risk(tx, live, recent, look)
    yield from _not_started(tx, names, look)


def _due(tx: Tx, runs: Iterable[RunView]) -> Iterator[DueRun]:
    for run in runs:
        deadline = deadline_of(tx, run)
        if deadline is not None:
            yield DueRun(run, deadline)


def _live(tx: Tx, names: Sequence[str], look: Look) -> list[RunView]:
    specs = current_specs(tx, names, namespace=look.namespace)
    queues = sorted({spec.queue for _, spec in specs.values()})
    at = {"namespace": look.namespace, "names": json.dumps(names), "most": MOST_RUNS}
    rows = tx.all("live_runs_of_jobs", queues=json.dumps(queues), **at)
    for queue in queues:
        rows += tx.all("next_runs_of_jobs", queue=queue, **at)
    return [run_view(row) for row in rows]


def _ended_late(tx: Tx, recent: Iterable[Row], look: Look) -> Iterator[DueRun]:
    ids = [str(row["id"]) for row in recent if row["finished_at"] > look.since]
    for each in _due(tx, find_all(tx, ids, namespace=look.namespace).values()):
        run = each.run
        if run.finished_at is not None and run.finished_at.ms > each.deadline:
            yield each


def _missed(tx: Tx, late: Iterable[DueRun], look: Look) -> Iterator[AlertFinding]:
    for job, each in _by_job(late).items():
        first = min(each, key=lambda one: (one.run.state in FINAL, one.deadline))
        is_graph = first.run.state is State.SUSPENDED
        expected = expected_end_of(tx, first.run, look) if is_graph else None
        many = "" if len(each) == 1 else f", and so did {len(each) - 1:,} more"
        yield AlertFinding(
            kind="deadline.missed",
            subject=job,
            title=f"{job} missed its deadline, {_told(first, expected, look)}{many}",
            advice=_advice(first, expected),
            at=max(_last_at(one, look) for one in each),
            job=job,
            run_id=first.run.id,
            runs=len(each),
            lasts=True,
        )


def _last_at(due: DueRun, look: Look) -> int:
    return look.now if due.run.finished_at is None else due.run.finished_at.ms


def _by_job(due: Iterable[DueRun]) -> dict[str, list[DueRun]]:
    found: dict[str, list[DueRun]] = {}
    for each in due:
        found.setdefault(each.run.job, []).append(each)
    return found


def _told(due: DueRun, expected: ExpectedEnd | None, look: Look) -> str:
    run, until = due.run, to_text(due.deadline)
    if run.finished_at is not None:
        return f"{until}: it ended {_took(run.finished_at.ms - due.deadline)} later"
    if expected is not None and expected.blame:
        return f"{until}: {expected.blame}"
    if run.started_at is not None and run.state in (State.RUNNING, State.SUSPENDED):
        return f"{until}: it has run for {_took(look.now - run.started_at.ms)}"
    return f"{until}: it is {run.state.value} in the queue {run.queue}"


def _advice(due: DueRun, expected: ExpectedEnd | None) -> str | None:
    if due.run.state in FINAL:
        return None
    if expected is not None and expected.blame:
        return f"See which nodes it waits for: `rota graph nodes {due.run.id}`."
    return f"See what keeps it: `rota why {due.run.id}`."


def _at_risk(
    tx: Tx, live: Sequence[DueRun], recent: Sequence[Row], look: Look
) -> Iterator[AlertFinding]:
    usual = _usual(recent)
    found: dict[str, AlertFinding] = {}
    graphs = 0
    for each in live:
        run = each.run
        if run.job in found:
            continue
        if each.deadline < look.now:  # it is missed, and no longer at risk
            found[run.job] = _risk(each, None, look, opens=False)
            continue
        expected = None
        if run.state is State.SUSPENDED and graphs < GRAPHS:
            graphs += 1
            expected = expected_end_of(tx, run, look)
        if expected is None:
            expected = ExpectedEnd(_expected(run, usual.get(run.job), look))
        if expected.ends_at is not None and expected.ends_at > each.deadline:
            found[run.job] = _risk(each, expected, look)
    yield from found.values()


def _risk(
    due: DueRun, expected: ExpectedEnd | None, look: Look, *, opens: bool = True
) -> AlertFinding:
    run = due.run
    until = "" if expected is None else f" and is expected to end at {_text(expected.ends_at)}"
    blame = f": {expected.blame}" if expected is not None and expected.blame else ""
    return AlertFinding(
        kind="deadline.at_risk",
        subject=run.job,
        title=f"{run.job} has to end by {to_text(due.deadline)}{until}{blame}",
        advice=_advice(due, expected),
        at=look.now,
        job=run.job,
        run_id=run.id,
        lasts=True,
        opens=opens,
    )


def _usual(recent: Iterable[Row]) -> dict[str, float]:
    """Return how long runs of each job took, half of them longer; without jobs of little past."""
    took: dict[str, list[int]] = {}
    for row in recent:
        if row["state"] == State.SUCCESS and row["started_at"] is not None:
            took.setdefault(row["job"], []).append(row["finished_at"] - row["started_at"])
    return {job: median(each) for job, each in took.items() if len(each) >= LEAST_PAST}


def _expected(run: RunView, usual: float | None, look: Look) -> int | None:
    """Return when a run will have ended if it takes as long as others; None if nobody knows."""
    if usual is None:
        return None
    if run.started_at is not None and run.state in (State.RUNNING, State.SUSPENDED):
        return max(look.now, run.started_at.ms + round(usual))
    return max(look.now, run.ready_at.ms) + round(usual)


def _not_started(tx: Tx, names: Sequence[str], look: Look) -> Iterator[AlertFinding]:
    at = {"namespace": look.namespace, "names": json.dumps(names), "most": MOST_RUNS}
    for row in tx.all("overdue_schedules_of_jobs", **at):
        deadline = _deadline_of_next(row)
        if deadline is not None and deadline < look.now:
            name, instant = row["name"], to_text(row["next_at"])
            yield AlertFinding(
                kind="deadline.missed",
                subject=f"schedule {name}",
                title=f"{row['job']} missed its deadline, {to_text(deadline)}: the schedule {name} "
                f"has not started the run for {instant}",
                advice="Is a worker or a server with a scheduler alive? `rota doctor` tells.",
                at=look.now,
                job=row["job"],
                lasts=True,
            )


def _deadline_of_next(row: Row) -> int | None:
    """Return by when the run that a schedule has not started yet has to have ended."""
    # Late: zones cost 30 ms, which programs without deadlines need not pay.
    from rota.rules.runs.deadlines import deadline_at  # noqa: PLC0415

    with suppress(BadInput):
        if row["deadline"] is not None:
            zone = read_schedule(row["spec"]).zone
            return deadline_at(row["deadline"], row["next_at"], zone=zone)
        if row["job_deadline"] is not None:
            return deadline_at(row["job_deadline"], row["next_at"])
    return None


def _text(at: int | None) -> str:
    return "an unknown time" if at is None else to_text(at)


def _took(length_ms: int) -> str:
    return format_duration(max(1_000, length_ms // 1_000 * 1_000))
