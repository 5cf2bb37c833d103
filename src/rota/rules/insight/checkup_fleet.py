"""The checks of `rota doctor` on work: stuck runs, silent workers, unserved queues."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from rota.rules.insight.checkup import LATE_MS, Finding, Status, finding
from rota.rules.text.duration import format_duration

SHOWN = 5
LONGEST_WITHOUT_ANCHOR_MS = 86_400_000


class Stuck(NamedTuple):
    """Live runs that nothing will move on."""

    state: str
    why: str
    runs: int
    example: str


class Waiting(NamedTuple):
    """Queued runs of one job."""

    namespace: str
    queue: str
    job: str
    runs: int
    oldest_ms: int


class Serving(NamedTuple):
    """A worker on record."""

    namespace: str
    name: str
    queues: frozenset[str]
    jobs: frozenset[str] | None
    """The jobs that the worker defines; None if it did not report them, then it may have any."""
    silent_ms: int
    is_alive: bool
    stalled_ms: int | None = None
    """How long its claims have failed; None while they succeed."""
    stalled_why: str = ""

    def takes(self, waiting: Waiting) -> bool:
        return (
            self.is_alive
            and self.namespace == waiting.namespace
            and waiting.queue in self.queues
            and (self.jobs is None or waiting.job in self.jobs)
        )


def stuck(groups: Sequence[Stuck]) -> Iterator[Finding]:
    """Check invariant S18: every live run has something that will move it on."""
    if not groups:
        yield Finding("stuck runs", "ok", "none")
    for group in groups:
        yield finding(
            "stuck runs",
            "problem",
            f"{group.runs:,} {group.state}: {group.why}, for example {group.example}",
            advice="let a worker with chores run; if one does, look at its log",
        )


def silent_workers(workers: Sequence[Serving]) -> Finding:
    silent = [each for each in workers if not each.is_alive]
    names = ", ".join(
        f"{each.name} ({format_duration(each.silent_ms // 1000 * 1000)})" for each in silent[:SHOWN]
    )
    silent_text = (
        f"{len(silent)} of {len(workers)}: {names}" if silent else f"none of {len(workers)}"
    )
    return finding(
        "silent workers",
        "warning" if silent else "ok",
        silent_text,
        advice="they were killed or cut off; other workers take their runs back",
    )


def stalled_workers(workers: Sequence[Serving]) -> Finding:
    """Report living workers whose claims fail again and again, so that they take no runs."""
    stalled = [each for each in workers if each.is_alive and each.stalled_ms is not None]
    names = "; ".join(
        f"{each.name} for {format_duration((each.stalled_ms or 0) // 1000 * 1000)}: "
        f"{each.stalled_why}"
        for each in stalled[:SHOWN]
    )
    return finding(
        "stalled workers",
        "problem" if stalled else "ok",
        f"{len(stalled)} of {len(workers)}: {names}" if stalled else f"none of {len(workers)}",
        advice="their claims fail, so that they take no runs; look at their logs",
    )


def unserved(
    waiting: Sequence[Waiting],
    workers: Sequence[Serving],
    paused: Collection[tuple[str, str]],
) -> Iterator[Finding]:
    """Report queued runs that no living worker will take."""
    nobody = [
        each
        for each in waiting
        if (each.namespace, each.queue) not in paused
        and not any(worker.takes(each) for worker in workers)
    ]
    if not nobody:
        yield Finding("unserved queues", "ok", "none")
    for each in nobody[:SHOWN]:
        yield finding(
            "unserved queues",
            "problem" if each.oldest_ms > LATE_MS else "warning",
            f"{each.runs:,} run{'s' * (each.runs != 1)} of {each.job} "
            f"in queue {each.queue} of {each.namespace}",
            advice="start a worker that serves this queue and defines this job",
        )


def chores(ages_ms: Mapping[str, int], *, has_live_runs: bool) -> Finding:
    """Check that a worker promotes, reaps, expires and prunes; reaping is due every second."""
    age_ms = ages_ms.get("reap")
    is_late = age_ms is None or age_ms > LATE_MS
    age_text = "never" if age_ms is None else f"{format_duration(age_ms // 1000 * 1000)} ago"
    status: Status = "problem" if is_late and has_live_runs else "warning" if is_late else "ok"
    return finding(
        "chores",
        status,
        f"last done {age_text}" if is_late else "done all the time",
        advice="no worker with chores runs: nothing is promoted, reaped or pruned",
    )


def anchors(ages_ms: Mapping[str, int]) -> Iterator[Finding]:
    """Check that the end of the audit log is still anchored outside if it once was."""
    age_ms = ages_ms.get("anchor")
    if age_ms is not None:
        is_late = age_ms > LONGEST_WITHOUT_ANCHOR_MS
        yield finding(
            "audit anchors",
            "warning" if is_late else "ok",
            f"last written {format_duration(age_ms // 1000 * 1000)} ago" if is_late else "written",
            advice="no worker has `anchor` in [audit] of its rota.toml any more",
        )
