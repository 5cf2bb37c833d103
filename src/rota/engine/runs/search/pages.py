"""Pages of runs that labels or instants lead to; other filters thin them out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rota.engine.runs.find import run_view
from rota.engine.runs.paused import paused_among
from rota.engine.runs.search.candidates import CandidateIds, InstantRange, fired, labelled
from rota.model.runs.labels import LabelCondition
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.rules.runs.argument_filters import ArgumentFilter, have_arguments
from rota.store.base import Row, Tx

FAR_BY_LABEL = 20_000
"""The most runs with a label that a page passes over."""


class RunPage(NamedTuple):
    """Runs, newest first, and the `before` of the next page if there may be more."""

    runs: list[RunView]
    next: str | None
    paused: frozenset[str] = frozenset()
    """The ids of runs of graphs on the page that are paused."""


def candidate_page(
    tx: Tx,
    filters: Mapping[str, Any],
    *,
    labels: Sequence[LabelCondition],
    args: Sequence[ArgumentFilter],
    state: State | None,
    times: InstantRange,
) -> RunPage:
    """Return a page of runs with these labels, or for these instants; `filters` as for any list."""
    at = {"namespace": filters["namespace"], "before": filters["before"]}
    if not times.is_given:
        first = max(100, 2 * filters["limit"])
        return _page(tx, labelled(tx, labels, first=first, **at), filters, state, args)
    ids = fired(tx, labels, schedule=filters["schedule"], times=times, **at)
    return _page(tx, [CandidateIds(ids, None, len(ids))], filters, state, args)


def completed(tx: Tx, found: RunPage, state: State | None) -> RunPage:
    """Return the page with its paused runs, or without them if running ones are wanted."""
    paused = paused_among(tx, found.runs)
    if state is State.RUNNING:
        going_on = [run for run in found.runs if run.id not in paused]
        return RunPage(going_on, found.next)
    return found._replace(paused=paused)


def _page(
    tx: Tx,
    chunks: Iterable[CandidateIds],
    filters: Mapping[str, Any],
    state: State | None,
    args: Sequence[ArgumentFilter],
) -> RunPage:
    """Return a page of candidates; after so many that do not match it is cut."""
    limit, parent = filters["limit"], filters["parent"]
    found: list[RunView] = []
    read = 0
    for chunk in chunks:
        rows = _rows_among(tx, chunk.ids, filters, state)
        views = [view for view in map(run_view, rows) if parent in (None, view.parent_id)]
        found += have_arguments(sorted(views, key=lambda run: run.id, reverse=True), args)
        read += chunk.read
        if len(found) >= limit:
            return completed(tx, RunPage(found[:limit], found[limit - 1].id), state)
        if read >= FAR_BY_LABEL:
            return completed(tx, RunPage(found, chunk.rest), state)
    return completed(tx, RunPage(found, None), state)


def _rows_among(
    tx: Tx, ids: Sequence[str], filters: Mapping[str, Any], state: State | None
) -> list[Row]:
    """Return the rows of these runs that match; one that ended in between counts as ended."""
    at = dict(filters) | {"ids": json.dumps(ids)}
    rows: list[Row] = []
    if ids and (state is None or state not in FINAL):
        rows += tx.all("list_among", **at)
    if ids and state is State.RUNNING:
        rows += tx.all("list_among", **(at | {"state": str(State.SUSPENDED)}))
    if ids and (state is None or state in FINAL):
        rows += tx.all("list_ended_among", **at)
    return list({str(row["id"]): row for row in rows}.values())
