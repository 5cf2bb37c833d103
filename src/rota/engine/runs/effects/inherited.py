"""Inherited effects: a run that repeats another one continues that run's ledger.

A call in doubt must not be made again under a new key because a person redrove its run. The lookup
happens when a handler asks for an effect, so submits, redrives and reruns cost no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from rota.model.states import State
from rota.store.base import Row, Tx

MOST = 100
"""The most earlier runs that are looked at in a chain of repeats."""
_RETRACTED: Row = {"settled_at": None, "result": None, "outcome": "not_done", "decided_by": None}
TRIES = 10
"""The most runs of one node in one graph run, from its earlier tries, that are looked at."""


class InheritedEffect(msgspec.Struct, frozen=True, kw_only=True):
    """An effect as an earlier run left it."""

    key_run: str
    """The run from which its key is made."""
    is_settled: bool
    result: str | None
    outcome: str | None
    """The outcome that a person recorded; None if nobody did."""


def take_up(tx: Tx, run_id: str, name: str, *, digest: str | None) -> InheritedEffect | None:
    """Take over the effect from an earlier run of the same work; None when there is none.

    If the repeated run succeeded, a settled effect is done anew, because a person wants it once
    more. For a node, the ending of its graph run counts: a node that succeeded in a failed graph
    does not repeat its effects.
    """
    own = tx.one("find_lineage", id=run_id)
    if own is None:
        return None
    for before, is_success in islice(_before(tx, own), MOST):
        inherited = _take(
            tx, str(before["id"]), name, by=run_id, digest=digest, is_success=is_success
        )
        if inherited is not None:
            return _keep(tx, run_id, name, *inherited)
        if is_success:
            return None
    return None


def _take(
    tx: Tx, run_id: str, name: str, *, by: str, digest: str | None, is_success: bool
) -> tuple[str, Row] | None:
    """The effect row that is still free: of the given run, or of the last run that took it up."""
    for _ in range(MOST):
        at = {"run_id": run_id, "name": name}
        rows = tx.all("take_up_effect", by_run=by, digest=digest, is_success=is_success, **at)
        if rows:
            return run_id, rows[0]
        taker = tx.one("find_taker", **at)
        if taker is None or taker["taken_by"] is None:
            return None
        if str(taker["taken_by"]) == by:  # it has been retracted since; the key stays
            return run_id, {**_RETRACTED, "key_run": taker["key_run"]}
        run_id = str(taker["taken_by"])
    return None


def _keep(tx: Tx, run_id: str, name: str, source: str, row: Row) -> InheritedEffect:
    inherited = InheritedEffect(
        key_run=str(row["key_run"] or source),
        is_settled=row["settled_at"] is not None,
        result=row["result"],
        outcome=row["outcome"],
    )
    is_done = inherited.is_settled
    tx.execute(
        "inherit_effect",
        run_id=run_id,
        name=name,
        key_run=inherited.key_run,
        settled_at=row["settled_at"],
        result=row["result"],
        # A call that did not take place begins now, and its ledger entry belongs to this run.
        outcome=row["outcome"] if is_done else None,
        decided_by=row["decided_by"] if is_done else None,
    )
    return inherited


def _before(tx: Tx, run: Row) -> Iterator[tuple[Row, bool]]:
    """The runs that this one repeats, latest first, and whether the repeated work succeeded."""
    if run["parent_id"] is None:
        yield from _originals(tx, run)
        return
    graph_id = str(run["parent_id"])
    for each in _of_node(tx, run, graph_id):
        yield each, _has_succeeded(each)
    graph = tx.one("find_lineage", id=graph_id)
    for earlier, is_success in _before(tx, graph) if graph is not None else ():
        for each in _of_node(tx, run, str(earlier["id"])):
            yield each, is_success


def _has_succeeded(run: Row) -> bool:
    return bool(run["state"] == State.SUCCESS)


def _originals(tx: Tx, run: Row) -> Iterator[tuple[Row, bool]]:
    """The run that this one repeats, then the run that that one repeated, and so on."""
    while run["rerun_of"] is not None:
        lineage = tx.one("find_lineage", id=str(run["rerun_of"]))
        if lineage is None:
            return
        yield lineage, _has_succeeded(lineage)
        run = lineage


def _of_node(tx: Tx, run: Row, graph_id: str) -> list[Row]:
    return tx.all(
        "find_node_runs",
        graph_id=graph_id,
        node=run["node"],
        item=-1 if run["item"] is None else run["item"],
        but=str(run["id"]),
        limit=TRIES,
    )
