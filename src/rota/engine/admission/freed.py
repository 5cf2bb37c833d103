"""Freed runs: start what waited for the end of others, in the transaction that ends those."""

from __future__ import annotations

from collections.abc import Sequence

from rota.engine.admission.mechanisms import HOLDS
from rota.engine.failures.batch_isolation import beside
from rota.model.runs.run import Verdict
from rota.store.base import Tx

_FREEING = [
    (hold.name, hold.is_freed_by, hold.free)
    for hold in HOLDS
    if hold.is_freed_by is not None and hold.free is not None
]


def free_others(tx: Tx, verdicts: Sequence[Verdict], *, namespace: str) -> None:
    """Have each hold let runs start that waited for one of these ends; reads nothing for others."""
    for name, is_freed_by, free in _FREEING:
        ends = [verdict for verdict in verdicts if is_freed_by(verdict)]
        if ends:
            what = f"runs that wait because of the hold {name!r}"
            beside(tx, lambda free=free, ends=ends: free(tx, ends, namespace), what=what)  # type: ignore[misc]  # bound now
