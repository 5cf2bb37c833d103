"""Reruns of instants: what a redrive or a rerun repeated counts as its last rerun ended."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rota.model.states import State
from rota.store.base import Row, Tx

FAILED = (State.FAILED, State.CANCELLED)
DEEP = 100
"""Reruns of reruns that are looked at."""


def mended(tx: Tx, run_ids: Iterable[str]) -> dict[str, Row]:
    """Of these runs those that a rerun has mended or may still mend, with the run that does so.

    One that succeeded counts before one that is on its way.
    """
    first = {run_id: run_id for run_id in run_ids}
    found: dict[str, Row] = {}
    level = dict(first)
    for _ in range(DEEP):
        if not level:
            break
        rows = tx.all("reruns_of", ids=json.dumps(sorted(level)))
        following: dict[str, str] = {}
        for row in rows:
            origin = level[str(row["rerun_of"])]
            following[str(row["id"])] = origin
            is_success = row["state"] == State.SUCCESS
            if is_success or (row["is_live"] and origin not in found):
                found[origin] = row
        level = following
    return found
