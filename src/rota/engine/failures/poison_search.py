"""Poison search: find the one run for which a statement over many runs raises, and end it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rota.engine.failures.batch_isolation import words
from rota.engine.graphs.nodes.links import verdict_facts
from rota.engine.runs.finish import finish
from rota.model.runs.run import FinishVerb, Verdict
from rota.store.base import PartFailed, Row, Tx

T = TypeVar("T")


class _Fine(Exception):
    """The trial succeeded; raised to roll it back."""


def weeded(
    tx: Tx,
    work: Callable[[], T],
    *,
    candidates: Callable[[], Sequence[Row]],
    attempt: Callable[[Row], object],
    verb: FinishVerb,
) -> T:
    """Do the work; in a careful transaction, without the runs for which it raises.

    Each candidate is tried on its own. Those that raise end by the verb, with the reason.
    """
    if not tx.is_careful:
        return work()
    try:
        return tx.part(work)
    except PartFailed:
        for row in candidates():
            error = _try(tx, row, attempt)
            if error is not None:
                reason = f"it could not be started: {words(error)}"
                verdict = Verdict(verb=verb, reason=reason, **verdict_facts(row))
                finish(tx, [verdict], namespace=row["namespace"])
        return work()


def _try(tx: Tx, row: Row, attempt: Callable[[Row], object]) -> Exception | None:
    def trial() -> None:
        attempt(row)
        raise _Fine

    try:
        tx.part(trial)
    except PartFailed as failed:
        return None if isinstance(failed.error, _Fine) else failed.error
    return None
