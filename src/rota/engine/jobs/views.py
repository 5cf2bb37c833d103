"""Jobs as people see them: their recent runs, their present activity, their versions.

A page of jobs costs a handful of statements and one for each queue, however many jobs are on it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from math import ceil

import msgspec

from rota.clock import moment
from rota.engine.jobs.definitions import CODE
from rota.engine.runs.claimed import shares
from rota.model.jobs.job import RunOutcome
from rota.model.jobs.spec import JobSpec
from rota.model.states import State
from rota.store.base import Row, Tx

RECENT = 30
"""The number of recent runs that are read for each job."""
AHEAD = 5_000
"""The number of runs at the head of each queue that are counted by job."""
NEWEST = 2**31 - 1

_spec = msgspec.json.Decoder(JobSpec)


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """The present activity and recent runs of one job."""

    last: tuple[RunOutcome, ...] = ()
    """The recent runs, the newest first."""
    running: int = 0
    """Runs that workers execute, and runs of a graph whose nodes go on."""
    paused: int = 0
    """Runs of a graph that are paused."""
    queued: int = 0
    """Runs among those that are next in each queue."""
    schedules: int = 0
    next_at: int | None = None

    @property
    def success_rate(self) -> float | None:
        """The successes among the recent runs that succeeded or failed, as a share; else None."""
        counted = [each for each in self.last if each.state in (State.SUCCESS, State.FAILED)]
        if not counted:
            return None
        return sum(each.state is State.SUCCESS for each in counted) / len(counted)

    @property
    def p50_ms(self) -> int | None:
        """The duration that half of the recent successful runs did not exceed."""
        return self._took(0.5)

    @property
    def p95_ms(self) -> int | None:
        """The duration that 95 of 100 recent successful runs did not exceed."""
        return self._took(0.95)

    def _took(self, share: float) -> int | None:
        took = sorted(
            each.duration_ms
            for each in self.last
            if each.state is State.SUCCESS and each.duration_ms is not None
        )
        return took[ceil(len(took) * share) - 1] if took else None


class RecordedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a job on record."""

    version: int
    spec: JobSpec
    created_at: int
    origin: str


def activity(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, Activity]:
    """Return the activity of each of these jobs."""
    at = {"namespace": namespace, "names": json.dumps(sorted(names))}
    last: dict[str, list[RunOutcome]] = {}
    for row in tx.all("recent_runs", limit=RECENT, **at):
        last.setdefault(row["job"], []).append(_outcome(row))
    queued = _queued_counts(tx, namespace=namespace)
    running: Counter[str] = Counter()
    for share in shares(tx, namespace=namespace):
        running[share.job] += share.running
        queued[share.job] += share.held
    paused: Counter[str] = Counter()
    for row in tx.all("under_way_by_job", **at):
        running[row["job"]] += row["runs"] - row["paused"]
        paused[row["job"]] = row["paused"]
    timed = {row["job"]: row for row in tx.all("schedules_by_job", **at)}
    return {
        name: Activity(
            last=tuple(last.get(name, ())),
            running=running[name],
            paused=paused[name],
            queued=queued[name],
            schedules=timed[name]["schedules"] if name in timed else 0,
            next_at=timed[name]["next_at"] if name in timed else None,
        )
        for name in names
    }


def _queued_counts(tx: Tx, *, namespace: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for queue in tx.all("queue_names", namespace=namespace):
        at = {"namespace": namespace, "queue": queue["name"], "ahead": AHEAD}
        for row in tx.all("next_by_job", **at):
            counts[row["job"]] += row["runs"]
    return counts


def versions(
    tx: Tx, name: str, *, namespace: str, before: int = NEWEST, limit: int = 50
) -> list[RecordedVersion]:
    """Return all versions of a job, the newest first; `before` is the last of the page before."""
    rows = tx.all("list_versions", namespace=namespace, name=name, before=before, limit=limit)
    return [
        RecordedVersion(
            version=row["version"],
            spec=_spec.decode(row["spec"]),
            created_at=row["created_at"],
            origin=row["origin"] or CODE,
        )
        for row in rows
    ]


def _outcome(row: Row) -> RunOutcome:
    started_at, finished_at = row["started_at"], row["finished_at"]
    return RunOutcome(
        run_id=str(row["id"]),
        state=State(row["state"]),
        started_at=None if started_at is None else moment(started_at),
        duration_ms=None if started_at is None else finished_at - started_at,
    )
