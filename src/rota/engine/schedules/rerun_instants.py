"""Reruns of instants: an instant that was redriven or rerun counts as its last rerun ended."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rota.model.states import State
from rota.store.base import Row, Tx

FAILED = (State.FAILED, State.CANCELLED)
DEEP = 100
"""The most reruns of reruns that are looked at."""


def mended(tx: Tx, run_ids: Iterable[str]) -> dict[str, Row]:
    """The runs that a rerun has mended or may still mend, each with the row of that rerun.

    A rerun that succeeded counts before one in progress.
    """
    first = {run_id: run_id for run_id in run_ids}
    by_run: dict[str, Row] = {}
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
            if is_success or (row["is_live"] and origin not in by_run):
                by_run[origin] = row
        level = following
    return by_run
