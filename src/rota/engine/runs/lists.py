"""Lists of runs: read a page at a time, without a scan of all runs (ADR 27).

A small set is read through an index of its own and sorted. If many rows must be passed over, a
page reads a limited number of them; it may then hold fewer runs than exist, and it says where the
next page continues.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rota.engine.runs.find import like, run_view
from rota.engine.runs.search.candidates import InstantRange
from rota.engine.runs.search.pages import RunPage, candidate_page, completed
from rota.model.runs.labels import LabelCondition
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.rules.runs.argument_filters import ArgumentFilter, have_arguments, pattern_of
from rota.store.base import Row, Tx

FEW = 5_000
"""The most runs that are sorted in one statement."""
NEAR, FAR, FAR_BY_TEXT = 500, 50_000, 5_000
"""The rows a page passes over: at first, at most, and at most if their texts are read."""
LOWEST = "00000000-0000-0000-0000-000000000000"

Wanted = dict[str, Any]
_FILTERS = (
    *("state", "job", "queue", "queues", "schedule", "parent", "error", "text", "since", "until"),
    *("before", "whole", "arg"),
)
_ANY: Wanted = dict.fromkeys(_FILTERS)


class ListAccess(NamedTuple):
    """A list statement, and the one that limits how far a page reads; None to read all of it."""

    statement: str
    floor: str | None = None


LIVE = ListAccess("list_runs", "floor_of_runs")
PARKED = ListAccess("list_parked", "floor_of_parked")
LIVE_BY_FILTER = {
    "parent": ListAccess("list_children"),
    "schedule": ListAccess("list_fired"),
    "error": ListAccess("list_troubled", "floor_of_troubled"),
}
LIVE_BY_STATE = {
    State.RUNNING: ListAccess("list_running"),
    State.PENDING: PARKED,
    State.SUSPENDED: PARKED,
}
ENDED = ListAccess("list_ended_runs", "floor_of_ended")
FEW_ENDED = ListAccess("list_few_ended")
OF_JOB = ListAccess("list_ended_of_job", "floor_of_job")
BAD = ListAccess("list_bad_endings", "floor_of_bad")
ENDED_BY_FILTER = {
    "parent": ListAccess("list_ended_children"),
    "schedule": ListAccess("list_ended_of_schedule"),
}


class _Found(NamedTuple):
    """The rows of one statement, and the run id below which it did not read; None if uncut."""

    rows: list[Row]
    cut_at: str | None = None


def runs(tx: Tx, *, namespace: str, limit: int = 50, **filters: Any) -> list[RunView]:
    """The newest `limit` runs, over as many pages as needed; the filters are those of `page`."""
    views: list[RunView] = []
    before: str | None = filters.pop("before", None)
    while True:
        part = page(tx, namespace=namespace, before=before, limit=limit - len(views), **filters)
        views += part.runs
        before = part.next
        if before is None or len(views) == limit:
            return views


def page(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    state: State | None = None,
    job: str | None = None,
    queue: str | None = None,
    queues: Sequence[str] | None = None,
    schedule: str | None = None,
    parent: str | None = None,
    steps: bool = True,
    error: str | None = None,
    text: str | None = None,
    since: int | None = None,
    until: int | None = None,
    labels: Sequence[LabelCondition] = (),
    args: Sequence[ArgumentFilter] = (),
    scheduled_since: int | None = None,
    scheduled_until: int | None = None,
    before: str | None = None,
    limit: int = 50,
) -> RunPage:
    """A page of runs, newest first; `before` is the `next` of the page before.

    `since` and `until` bound the time of the submit, and `parent` is the run of their graph;
    without `steps` runs of nodes are left out.
    `error` is a substring of the last error with its traceback, `text` of the arguments or the key.
    `scheduled_since` and `scheduled_until` bound the instant of their schedule.
    Runs of graphs whose nodes go on are stored as suspended; RUNNING finds them too, unless they
    are paused. Paused runs are dropped after the page is read, so it may hold fewer than `limit`.
    """
    filters = {
        "namespace": namespace,
        "state": state and str(state),
        "job": job,
        "queue": queue,
        "queues": None if queues is None else json.dumps(list(queues)),
        "schedule": schedule,
        "parent": parent,
        "whole": None if steps else "yes",
        "error": like(error),
        "text": like(text),
        "arg": pattern_of(args),
        "since": since,
        "until": until,
        "before": before,
        "limit": limit,
    }
    times = InstantRange(scheduled_since, scheduled_until)
    if labels or times.is_given:
        return candidate_page(tx, filters, labels=labels, args=args, state=state, times=times)
    parts: list[_Found] = []
    if state is None or state not in FINAL:
        parts.append(_live(tx, filters))
    if state is None or state in FINAL:
        parts.append(_ended(tx, filters))
    if state is State.RUNNING:
        parts.append(_live(tx, filters | {"state": str(State.SUSPENDED)}))
    merged = _merge(parts, limit)
    return completed(tx, merged._replace(runs=have_arguments(merged.runs, args)), state)


def lately(tx: Tx, job: str, *, namespace: str, limit: int) -> list[RunView]:
    """The newest runs of a job, with a bounded read however many runs there are.

    It may miss a waiting run behind tens of thousands of others, but no running or ended run.
    """
    filters = _ANY | {"namespace": namespace, "job": job, "limit": limit}
    live = _live(tx, filters)
    parts = [live, _ended(tx, filters)]
    if live.cut_at is not None:
        parts += [_look(tx, way, filters) for way in (LIVE_BY_STATE[State.RUNNING], PARKED)]
    views = {view.id: view for each in parts for view in map(run_view, each.rows)}
    return sorted(views.values(), key=lambda run: run.id, reverse=True)[:limit]


def newest_of(tx: Tx, job: str, *, namespace: str) -> RunView | None:
    """The newest run of a job, as `lately` finds it."""
    return next(iter(lately(tx, job, namespace=namespace, limit=1)), None)


def _merge(parts: list[_Found], limit: int) -> RunPage:
    """Merge results down to the lowest run that all statements read; below it runs may be missing.

    A run that ended between two statements is in both results; it then counts as ended.
    """
    cuts = [each.cut_at for each in parts if each.cut_at is not None]
    cut_at = max(cuts, default=None)
    views = {view.id: view for each in parts for view in map(run_view, each.rows)}
    complete = [view for view in views.values() if cut_at is None or view.id >= cut_at]
    newest = sorted(complete, key=lambda run: run.id, reverse=True)[:limit]
    return RunPage(newest, newest[-1].id if len(newest) == limit else cut_at)


def _live(tx: Tx, filters: Wanted) -> _Found:
    way = _way(LIVE_BY_FILTER, filters) or LIVE_BY_STATE.get(filters["state"])
    if way is not None:
        return _look(tx, way, filters)
    names = _queues(tx, filters)
    statement = _list_of_few(tx, filters, json.dumps([{"name": name} for name in names]))
    if statement is None:
        return _look(tx, LIVE, filters)
    return _look(tx, ListAccess(statement), filters | {"names": json.dumps(names)})


def _list_of_few(tx: Tx, filters: Wanted, names: str) -> str | None:
    """The statement that lists waiting runs of these queues; None if they are too many to sort."""
    state, job = filters["state"], filters["job"]
    of = {"namespace": filters["namespace"], "most": FEW + 1}
    waiting = tx.all("few_waiting", batch=names, **of)
    if state == State.QUEUED:
        return "list_queued" if _are_few(waiting, "queued") else None
    if state is None:
        parked = tx.all("few_parked", **of)
        if not (_are_few(waiting, "queued") and _are_few(parked, "runs")):
            return None
    statement = "list_few" if state is None else "list_scheduled"
    if _are_few(waiting, "scheduled"):
        return statement
    if job is None:
        return None
    waiting = tx.all("few_scheduled_of_job", batch=names, job=job, **of)
    return f"{statement}_of_job" if _are_few(waiting, "scheduled") else None


def _are_few(rows: list[Row], word: str) -> bool:
    runs: int = sum(row[word] for row in rows)
    return runs <= FEW


def _queues(tx: Tx, filters: Wanted) -> list[str]:
    """The names of the queues that match the filters, sorted."""
    names = {row["name"] for row in tx.all("queue_names", namespace=filters["namespace"])}
    if filters["queue"] is not None:
        names &= {filters["queue"]}
    if filters["queues"] is not None:
        names &= set(json.loads(filters["queues"]))
    return sorted(names)


def _ended(tx: Tx, filters: Wanted) -> _Found:
    job = filters["job"]
    way = _way(ENDED_BY_FILTER, filters)
    if way is not None:
        return _look(tx, way, filters)
    if filters["error"] is not None or filters["state"] not in (None, State.SUCCESS):
        part = _look(tx, BAD, filters)
        if part.cut_at is None or job is None:
            return part
        return min(part, _look(tx, OF_JOB, filters), key=lambda each: each.cut_at or "")
    if job is not None:
        return _look(tx, OF_JOB, filters)
    few = tx.all("count_few_ended", namespace=filters["namespace"], most=FEW + 1)
    return _look(tx, FEW_ENDED if _are_few(few, "runs") else ENDED, filters)


def _way(ways: Mapping[str, ListAccess], filters: Wanted) -> ListAccess | None:
    return next((way for name, way in ways.items() if filters[name] is not None), None)


def _look(tx: Tx, way: ListAccess, filters: Wanted) -> _Found:
    """Read a list whole, or its first few rows, usually enough, and then up to its limit."""
    if way.floor is None:
        return _Found(tx.all(way.statement, floor=LOWEST, **filters))
    reads_text = any(filters[name] is not None for name in ("error", "text", "arg"))
    rows: list[Row] = []
    cut_at = None
    for far in (NEAR, FAR_BY_TEXT if reads_text else FAR):
        row = tx.one(way.floor, floor=LOWEST, far=far, **filters)
        cut_at = str(row["id"]) if row else None
        rows = tx.all(way.statement, floor=cut_at or LOWEST, **filters)
        if cut_at is None or len(rows) == filters["limit"]:
            return _Found(rows)
    return _Found(rows, cut_at)
