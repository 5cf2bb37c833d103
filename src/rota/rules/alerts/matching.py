"""Matching: which findings a rule covers, and what its incidents are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from rota.model.alerts.finding import AlertFinding
from rota.model.alerts.rule import AlertRule

OF_RUNS = ("run.failed", "cause.new")
"""Kinds whose findings count failed runs by job and cause."""

PAST = (*OF_RUNS, "schedule.missed", "security.sign_in", "security.token")
"""Kinds that have happened, and are not so until they are mended."""


def covered(rule: AlertRule, findings: Iterable[AlertFinding]) -> list[AlertFinding]:
    """Return what this rule reports, one finding for each incident it would open."""
    found: dict[tuple[str, str], AlertFinding] = {}
    for each in findings:
        if matches(rule, each):
            grouped = _grouped(rule, each)
            key = (grouped.kind, grouped.subject)
            found[key] = _joined(found[key], grouped) if key in found else grouped
    return [each for each in found.values() if _is_enough(rule, each)]


def matches(rule: AlertRule, finding: AlertFinding) -> bool:
    """Whether the rule is about findings of this kind, job and queue."""
    return (
        rule.enabled
        and finding.kind in rule.on
        and _fits(rule.jobs, finding.job)
        and _fits(rule.queues, finding.queue)
    )


def _fits(patterns: Sequence[str], name: str | None) -> bool:
    return not patterns or (
        name is not None and any(fnmatchcase(name, pattern) for pattern in patterns)
    )


def _grouped(rule: AlertRule, finding: AlertFinding) -> AlertFinding:
    if finding.kind != "run.failed" or rule.group == "cause":
        return finding
    if rule.group == "job":
        return replace(finding, subject=finding.job or "", cause=None)
    return replace(finding, subject="", job=None, cause=None, queue=None)


def _joined(one: AlertFinding, other: AlertFinding) -> AlertFinding:
    newest = max(one, other, key=lambda each: each.at)
    return replace(newest, runs=one.runs + other.runs)


def _is_enough(rule: AlertRule, finding: AlertFinding) -> bool:
    return finding.kind != "run.failed" or finding.runs >= rule.after
