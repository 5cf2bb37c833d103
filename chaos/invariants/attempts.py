"""S6 one live attempt, S7 budgets: the attempts of each run in their order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from chaos.facts import Ended, Facts, Policy, Tried
from chaos.invariants.finding import Finding, finding

MAX_CRASHES = 3
ROUNDING_MS = 1
ERRORS = ("error", "timeout")
CRASHES = ("crash", "lost")


def one_live_attempt(facts: Facts) -> Finding:
    """Check that attempts are numbered 1..n, and that none began before the last one ended."""
    return finding(
        sum(end.attempt for end in facts.ended),
        (line for end in facts.ended for line in _overlaps(end, facts.attempts[end.run_id])),
    )


def _overlaps(end: Ended, tried: list[Tried]) -> Iterator[str]:
    # A success is told by its history row alone; every other attempt has a row.
    rows = end.attempt - 1 if end.state == "success" else end.attempt
    if [each.number for each in tried] != list(range(1, rows + 1)):
        yield f"{end} has the attempts {tried}"
    spans = [(each.started_ms, each.ended_ms) for each in tried]
    if end.state == "success":
        spans.append((end.started_ms, end.finished_ms))
    for (_, ended_ms), (started_ms, _) in pairwise(spans):
        if started_ms is not None and started_ms < ended_ms - ROUNDING_MS:
            yield f"{end} was tried again before the attempt before had ended: {tried}"


def budgets(facts: Facts) -> Finding:
    """Check that errors stay within retries, crashes within the cap, and no retry is early."""
    return finding(
        len(facts.ended),
        (
            line
            for end in facts.ended
            for line in _overdrawn(end, facts.attempts[end.run_id], facts.policies[end.job])
        ),
    )


def _overdrawn(end: Ended, tried: list[Tried], policy: Policy) -> Iterator[str]:
    errors = sum(each.kind in ERRORS for each in tried)
    crashes = sum(each.kind in CRASHES for each in tried)
    if (errors, crashes) != (end.failures, end.crashes):
        yield f"{end} counts other failures than its attempts: {tried}"
    alone = sum(each.kind == "crash" for each in tried)  # lost workers are nobody's fault
    if errors > policy.limit + 1 or alone > MAX_CRASHES:
        yield f"{end} was tried too often: {tried}"
    if end.job == "flaky":
        yield from _unplanned(end, tried)
    yield from _hasty(end, tried, policy)


def _unplanned(end: Ended, tried: list[Tried]) -> Iterator[str]:
    planned = end.planned_failures
    if any(each.number > planned for each in tried if each.kind == "error"):
        yield f"{end} failed at an attempt that was meant to succeed: {tried}"
    if end.state == "success" and end.attempt <= planned:
        yield f"{end} succeeded at an attempt that was meant to fail"


def _hasty(end: Ended, tried: list[Tried], policy: Policy) -> Iterator[str]:
    starts = [each.started_ms for each in tried]
    if end.state == "success":
        starts.append(end.started_ms)
    for each, next_ms in zip(tried, starts[1:], strict=False):
        if each.kind not in ERRORS or next_ms is None:
            continue
        if next_ms < each.ended_ms + policy.delay_ms - ROUNDING_MS:
            yield f"{end} was tried again too early: at {next_ms} after {each}"
