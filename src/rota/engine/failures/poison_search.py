"""Poison search: a statement over many runs raises because of one; that one is found, and ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rota.engine.failures.batch_isolation import words
from rota.engine.graphs.nodes.links import verdict_facts
from rota.engine.runs.finish import finish
from rota.model.run import FinishVerb, Verdict
from rota.store.base import PartFailed, Row, Tx

T = TypeVar("T")


class _Fine(Exception):
    """It can be done; what was done to see that is taken back."""


def weeded(
    tx: Tx,
    work: Callable[[], T],
    *,
    candidates: Callable[[], Sequence[Row]],
    attempt: Callable[[Row], object],
    verb: FinishVerb,
) -> T:
    """What the work gives; in a careful transaction, without the runs for which it raises.

    Each candidate is tried by itself. Those that raise end by the verb, with the reason.
    """
    if not tx.is_careful:
        return work()
    try:
        return tx.part(work)
    except PartFailed:
        for row in candidates():
            error = _tried(tx, row, attempt)
            if error is not None:
                reason = f"it could not be started: {words(error)}"
                verdict = Verdict(verb=verb, reason=reason, **verdict_facts(row))
                finish(tx, [verdict], namespace=row["namespace"])
        return work()


def _tried(tx: Tx, row: Row, attempt: Callable[[Row], object]) -> Exception | None:
    def trial() -> None:
        attempt(row)
        raise _Fine

    try:
        tx.part(trial)
    except PartFailed as failed:
        return None if isinstance(failed.error, _Fine) else failed.error
    return None
