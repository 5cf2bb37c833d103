"""The checker: every invariant over the facts of one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from chaos.facts import Facts
from chaos.invariants import attempts, effects, progress, requests, runs
from chaos.invariants.finding import Finding


class Invariant(NamedTuple):
    """A promise by its number and name."""

    number: str
    name: str
    check: Callable[[Facts], Finding]


INVARIANTS = (
    Invariant("S1", "one end", runs.one_end),
    Invariant("S2", "no loss", runs.no_loss),
    Invariant("S3", "no invention", runs.no_invention),
    Invariant("S4", "effects once", effects.effects_once),
    Invariant("S4r", "receipts once", effects.receipts_once),
    Invariant("S5", "fence", effects.fence),
    Invariant("S6", "one live attempt", attempts.one_live_attempt),
    Invariant("S7", "budgets", attempts.budgets),
    Invariant("S11", "dedupe", requests.dedupe),
    Invariant("S15", "cancel", requests.cancel),
    Invariant("S16", "at most once", requests.at_most_once),
    Invariant("S18", "a waker for everything", progress.wakers),
    Invariant("L1", "all ends come", progress.all_end),
    Invariant("L2", "connections bounded", progress.connections),
)


def check(facts: Facts) -> dict[str, Finding]:
    """The finding of each invariant, by its number."""
    return {each.number: each.check(facts) for each in INVARIANTS}
