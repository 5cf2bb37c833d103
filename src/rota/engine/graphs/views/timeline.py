"""Timeline: when the nodes of a run waited in a queue, and when they ran, attempt by attempt."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rota.clock import moment
from rota.engine.graphs.views.nodes import nodes
from rota.engine.runs.find import find, now_ms
from rota.model.graphs.timeline import Part, Timeline, TimelineSpan, TimelineTrack
from rota.model.runs.run import RunView
from rota.store.base import Row, Tx


def timeline(tx: Tx, run_id: str, *, namespace: str) -> Timeline:
    """All tracks of a run, in the order in which the nodes can run."""
    run = find(tx, run_id, namespace=namespace)
    now = now_ms(tx)
    listed = nodes(tx, run_id, namespace=namespace)
    if not listed:
        tracks_shown = [_as_row(run)]
        tracks: tuple[TimelineTrack, ...] = (
            _track(run.job, run.state.value, tracks_shown, _attempts(tx, tracks_shown), now),
        )
    else:
        rows = tx.all("timeline_runs", graph_id=run_id)
        maps = {row["node"]: row for row in tx.all("timeline_maps", graph_id=run_id)}
        attempts = _attempts(tx, rows)
        by_node: dict[str, list[Row]] = {}
        for row in rows:
            by_node.setdefault(row["node"], []).append(row)
        tracks = tuple(
            _mapped(each.name, each.state or "", maps[each.name], now)
            if each.name in maps
            else _track(each.name, each.state or "", by_node.get(each.name, ()), attempts, now)
            for each in listed
        )
    end_at = now if run.finished_at is None else run.finished_at.ms
    return Timeline(run_id=run_id, start_at=run.created_at, end_at=moment(end_at), tracks=tracks)


def _as_row(run: RunView) -> Row:
    return {
        "id": run.id,
        "fence": run.fence,
        "created_at": run.created_at.ms,
        "started_at": run.started_at and run.started_at.ms,
        "finished_at": run.finished_at and run.finished_at.ms,
    }


def _attempts(tx: Tx, rows: Iterable[Row]) -> dict[str, list[Row]]:
    by_run: dict[str, list[Row]] = {}
    ids = json.dumps([str(row["id"]) for row in rows])
    for row in tx.all("timeline_attempts", ids=ids):
        by_run.setdefault(str(row["run_id"]), []).append(row)
    return by_run


def _track(
    name: str, state: str, rows: Iterable[Row], attempts: dict[str, list[Row]], now: int
) -> TimelineTrack:
    stretches: list[TimelineSpan] = []
    tries = 0
    for row in rows:
        since = row["created_at"]
        failed = attempts.get(str(row["id"]), [])
        for each in failed:
            stretches += _waited(since, each["started_at"])
            stretches.append(_span("failed", each["started_at"], each["ended_at"]))
            since = each["ended_at"]
        tries += len(failed)
        end = now if row["finished_at"] is None else row["finished_at"]
        started = row["started_at"]
        # Sort by fence: an attempt may start in the same millisecond as the one before it.
        if started is None or (failed and row["fence"] <= failed[-1]["fence"]):
            # Shown however short it is: a run that was made in this millisecond waits, too.
            stretches.append(_span("queued", since, max(since, end)))
        else:
            tries += 1
            stretches += _waited(since, started)
            stretches.append(_span("running", started, end))
    return TimelineTrack(name=name, state=state, stretches=tuple(stretches), attempts=tries)


def _mapped(name: str, state: str, row: Row, now: int) -> TimelineTrack:
    end = now if row["going_on"] else row["finished_at"]
    started = row["started_at"]
    stretches = _waited(row["created_at"], end if started is None else started)
    if started is not None:
        stretches.append(_span("running", started, end))
    return TimelineTrack(
        name=name, state=state, stretches=tuple(stretches), instances=row["instances"]
    )


def _waited(start: int, end: int) -> list[TimelineSpan]:
    return [_span("queued", start, end)] if end > start else []


def _span(part: Part, start: int, end: int) -> TimelineSpan:
    return TimelineSpan(part=part, start_at=moment(start), end_at=moment(end))
