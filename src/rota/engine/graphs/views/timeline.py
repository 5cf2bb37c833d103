"""Timeline: when the nodes of a run waited in a queue, and when they ran, attempt by attempt."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal

import msgspec

from rota.engine.graphs.views.nodes import nodes
from rota.engine.runs.find import find, now_ms
from rota.engine.runs.paused import paused_among
from rota.model.run import RunView
from rota.store.base import Row, Tx

Part = Literal["queued", "running", "failed"]
"""What a run did then; failed: an attempt that did not succeed."""


class TimelineSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the time of a run."""

    part: Part
    start_at: int
    end_at: int


class TimelineTrack(msgspec.Struct, frozen=True, kw_only=True):
    """What one node did over time; without stretches if it never had a run."""

    name: str
    state: str
    stretches: tuple[TimelineSpan, ...] = ()
    attempts: int = 0
    instances: int | None = None
    """Of a mapped node: how many runs are taken together."""

    @property
    def start_at(self) -> int | None:
        return self.stretches[0].start_at if self.stretches else None


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """A run and what it is made of; a run that is no graph is made of itself."""

    run: RunView
    tracks: tuple[TimelineTrack, ...]
    start_at: int
    end_at: int
    """Now, for a run that goes on."""
    is_paused: bool = False


def timeline(tx: Tx, run_id: str, *, namespace: str) -> Timeline:
    """All tracks in the order in which the nodes can run."""
    run = find(tx, run_id, namespace=namespace)
    now = now_ms(tx)
    listed = nodes(tx, run_id, namespace=namespace)
    if not listed:
        made = [_as_row(run)]
        tracks: tuple[TimelineTrack, ...] = (
            _track(run.job, run.state, made, _attempts(tx, made), now),
        )
    else:
        rows = tx.all("timeline_runs", graph_id=run_id)
        maps = {row["node"]: row for row in tx.all("timeline_maps", graph_id=run_id)}
        attempts = _attempts(tx, rows)
        by_node: dict[str, list[Row]] = {}
        for row in rows:
            by_node.setdefault(row["node"], []).append(row)
        tracks = tuple(
            _mapped(each.name, each.state, maps[each.name], now)
            if each.name in maps
            else _track(each.name, each.state, by_node.get(each.name, ()), attempts, now)
            for each in listed
        )
    end_at = now if run.finished_at is None else run.finished_at.ms
    return Timeline(
        run=run,
        tracks=tracks,
        start_at=run.created_at.ms,
        end_at=end_at,
        is_paused=run.id in paused_among(tx, [run]),
    )


def _as_row(run: RunView) -> Row:
    return {
        "id": run.id,
        "fence": run.fence,
        "created_at": run.created_at.ms,
        "started_at": run.started_at and run.started_at.ms,
        "finished_at": run.finished_at and run.finished_at.ms,
    }


def _attempts(tx: Tx, rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    ids = json.dumps([str(row["id"]) for row in rows])
    for row in tx.all("timeline_attempts", ids=ids):
        found.setdefault(str(row["run_id"]), []).append(row)
    return found


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
            stretches.append(
                TimelineSpan(part="failed", start_at=each["started_at"], end_at=each["ended_at"])
            )
            since = each["ended_at"]
        tries += len(failed)
        end = now if row["finished_at"] is None else row["finished_at"]
        started = row["started_at"]
        # By fences: an attempt may start in the millisecond in which the one before started.
        if started is None or (failed and row["fence"] <= failed[-1]["fence"]):
            stretches += _waited(since, end)
        else:
            tries += 1
            stretches += _waited(since, started)
            stretches.append(TimelineSpan(part="running", start_at=started, end_at=end))
    return TimelineTrack(name=name, state=state, stretches=tuple(stretches), attempts=tries)


def _mapped(name: str, state: str, row: Row, now: int) -> TimelineTrack:
    end = now if row["going_on"] else row["finished_at"]
    started = row["started_at"]
    stretches = _waited(row["created_at"], end if started is None else started)
    if started is not None:
        stretches.append(TimelineSpan(part="running", start_at=started, end_at=end))
    return TimelineTrack(
        name=name, state=state, stretches=tuple(stretches), instances=row["instances"]
    )


def _waited(start: int, end: int) -> list[TimelineSpan]:
    return [TimelineSpan(part="queued", start_at=start, end_at=end)] if end > start else []
