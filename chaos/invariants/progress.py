"""S18 a waker for everything, L1 all ends come: nothing is stuck."""

from __future__ import annotations

from chaos.facts import Facts
from chaos.invariants.finding import Finding, finding


def wakers(facts: Facts) -> Finding:
    """At every look each live run had a due time, a place in a queue or a worker."""
    return finding(facts.looks, (f"nothing would ever wake {row}" for row in facts.stuck))


def all_end(facts: Facts) -> Finding:
    """After the faults every run ended in time."""
    late = [f"run {run_id} did not end" for run_id in facts.live]
    if facts.drain_ms > facts.drain_limit_ms:
        late.append(f"the end took {facts.drain_ms} ms of {facts.drain_limit_ms}")
    return finding(len(facts.ended) + len(facts.live), late)
