"""Findings: what is wrong in a namespace, read from what is stored anyway.

Nothing is written for alerts when a run ends: a look reads the dead letters of the last minute, and
the problems that the overview shows. A look that was missed is made up for by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from rota.clock import to_text
from rota.engine.alerts.deadlines import deadline_findings
from rota.engine.alerts.look import Look
from rota.engine.alerts.security import broken_chain, guesses, strong_tokens
from rota.engine.insight.attention import attention
from rota.engine.insight.overview import depths_of
from rota.engine.monitors.facts import facts_of
from rota.engine.workers.registry import workers
from rota.model.alerts.finding import AlertFinding
from rota.model.alerts.rule import AlertKind
from rota.model.insight.statistics import Concern
from rota.rules.monitors.states import down_reason, last_heard
from rota.store.base import Tx

MOST_GROUPS = 1_000
MOST_SCHEDULES = 200
MOST_MONITORS = 200
_KINDS_OF_CONCERNS: Mapping[str, AlertKind] = {
    "overdue": "schedule.late",
    "unserved": "queue.unserved",
    "paused": "queue.paused",
    "held": "breaker.open",
    "silent": "worker.lost",
    "lost": "worker.lost",
}


def findings(tx: Tx, look: Look, kinds: Collection[str]) -> list[AlertFinding]:
    """Return what is wrong, of these kinds."""
    sources = {source for kind, source in _SOURCES.items() if kind in kinds}
    return [each for source in sources for each in source(tx, look) if each.kind in kinds]


def _failures(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    at = {"namespace": look.namespace, "since": look.since, "limit": MOST_GROUPS}
    for row in tx.all("failures_lately", **at):
        failed = AlertFinding(
            kind="run.failed",
            subject=f"{row['job']} {row['fingerprint']}",
            title=f"{row['job']} failed",
            at=row["last_at"],
            job=row["job"],
            cause=row["fingerprint"],
            runs=row["runs"],
        )
        yield failed
        if not _is_old(tx, look, failed):
            yield AlertFinding(
                kind="cause.new",
                subject=failed.subject,
                title=f"{failed.job} fails with a new error",
                at=failed.at,
                job=failed.job,
                cause=failed.cause,
                runs=failed.runs,
            )


def _is_old(tx: Tx, look: Look, failed: AlertFinding) -> bool:
    """Whether runs failed with this cause before the look; one row is read from an index."""
    at = {"namespace": look.namespace, "until": look.since}
    return bool(tx.all("is_old_cause", job=failed.job, cause=failed.cause, **at))


def _problems(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    crew = workers(tx, namespace=look.namespace)
    depths = depths_of(tx, namespace=look.namespace)
    found = attention(tx, namespace=look.namespace, depths=depths, crew=crew, merges=False)
    for each in found:
        yield _finding(each, look)


def _finding(concern: Concern, look: Look) -> AlertFinding:
    kind = _KINDS_OF_CONCERNS[concern.kind]
    is_of_queue = concern.kind in ("unserved", "paused")
    return AlertFinding(
        kind=kind,
        subject=f"{concern.kind} {concern.subject}".strip(),
        title=concern.says,
        advice=concern.advice,
        at=look.now,
        job=concern.subject if concern.kind == "held" else None,
        queue=(concern.subject or None) if is_of_queue else None,
        runs=concern.runs,
        lasts=True,
    )


def _paused_schedules(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    at = {"namespace": look.namespace, "limit": MOST_SCHEDULES}
    for row in tx.all("schedules_paused_by_themselves", **at):
        why = f": {row['note']}" if row["note"] else ""
        yield AlertFinding(
            kind="schedule.paused",
            subject=row["name"],
            title=f"Schedule {row['name']} starts nothing any more{why}",
            advice=f"Mend it, then resume it: `rota schedules resume {row['name']}`.",
            at=look.now,
            job=row["job"],
            lasts=True,
        )


def _monitors_down(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    at = {"namespace": look.namespace, "until": look.now, "limit": MOST_MONITORS}
    for row in tx.all("monitors_down", **at):
        facts = facts_of(row)
        heard = to_text(last_heard(facts) or look.now)
        yield AlertFinding(
            kind="monitor.down",
            subject=row["name"],
            title=f"Monitor {row['name']} {down_reason(facts, row['last_exit'])}",
            advice=f"Its last ping came at {heard}: `rota monitors show {row['name']}`.",
            at=look.now,
            lasts=True,
        )


def _missed_schedules(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    at = {"namespace": look.namespace, "since": look.since, "limit": MOST_SCHEDULES}
    for row in tx.all("schedules_missed_lately", **at):
        yield AlertFinding(
            kind="schedule.missed",
            subject=row["name"],
            title=f"Schedule {row['name']} missed a firing ({row['missed']:,} in all)",
            advice="No scheduler was alive, or it was too late to start. See its `catchup`: "
            f"`rota schedules show {row['name']}`.",
            at=row["missed_at"],
            job=row["job"],
        )


_SOURCES: Mapping[str, Callable[[Tx, Look], Iterator[AlertFinding]]] = {
    "run.failed": _failures,
    "cause.new": _failures,
    "schedule.paused": _paused_schedules,
    "monitor.down": _monitors_down,
    "schedule.missed": _missed_schedules,
    "deadline.missed": deadline_findings,
    "deadline.at_risk": deadline_findings,
    "security.sign_in": guesses,
    "security.token": strong_tokens,
    "security.audit": broken_chain,
    **dict.fromkeys(_KINDS_OF_CONCERNS.values(), _problems),
}
"""Which function finds alerts of a kind."""
