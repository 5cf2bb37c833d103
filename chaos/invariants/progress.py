"""S18 a waker for everything, L1 all runs end, L2 connections: nothing is stuck."""

from __future__ import annotations

from chaos.facts import Facts
from chaos.invariants.finding import Finding, finding

MOST_SESSIONS = 16
"""Twice the connections of a process and four, as docs/storage.md says; 6 is the default."""


def wakers(facts: Facts) -> Finding:
    """Check that at every look each live run had a due time, a place in a queue or a worker."""
    return finding(facts.looks, (f"nothing would ever wake {row}" for row in facts.stuck))


def all_end(facts: Facts) -> Finding:
    """Check that every run ended in time after the faults."""
    late = [f"run {run_id} did not end" for run_id in facts.live]
    if facts.drain_ms > facts.drain_limit_ms:
        late.append(f"the end took {facts.drain_ms} ms of {facts.drain_limit_ms}")
    return finding(len(facts.ended) + len(facts.live), late)


def connections(facts: Facts) -> Finding:
    """Check that no process had too many server sessions, not even while commits hung."""
    return finding(
        len(facts.sessions),
        (
            f"process {name} had {number} sessions at once"
            for name, number in facts.sessions.items()
            if number > MOST_SESSIONS
        ),
    )
