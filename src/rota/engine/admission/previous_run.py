"""The previous run: which run a graph that depends on its past waits for, and how that run went.

The previous run of a schedule's run is the run for the instant before. For any other run it is the
last one submitted earlier. A rerun takes the place of its original, and so does a node of a rerun.
The past is good if the previous run, or any rerun of it, has succeeded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from rota.errors import BadGraph
from rota.model.runs.run import Origin
from rota.model.states import FINAL, State
from rota.store.base import Row, Tx

LOOKED_AT = 20
"""The number of runs that are read at once; mostly the first one decides."""
MANY = 10_000
"""The number of reruns that are examined."""
_TIMED = ("time", "backfill")
_origin = msgspec.json.Decoder(Origin)

Member = tuple[str, State | None]
"""A run and its state; None if history has forgotten the run, which happens to successes first."""


class PastFailed(BadGraph):
    """The previous run did not succeed, and neither did a rerun of it."""


class PreviousRun(NamedTuple):
    """The run that keeps another one from beginning."""

    run_id: str
    state: State

    @property
    def is_live(self) -> bool:
        return self.state not in FINAL


def run_before(tx: Tx, run_id: str, job: str, *, namespace: str) -> PreviousRun | None:
    """Return the run that this one waits for, or that makes it fail; None if its past is good."""
    own = _original(tx, run_id)
    if own is None:
        return None
    for runs in _runs_before(tx, own, job, namespace):
        members = _with_reruns(tx, runs, namespace)
        live = [each for each in members if each[1] is not None and each[1] not in FINAL]
        if live:
            return PreviousRun(live[0][0], live[0][1] or State.PENDING)
        if _is_good(tx, members, job, namespace):
            return None
        last, state = members[-1]
        if not tx.one("is_discarded", id=last):  # discarded: it will not be run again
            return PreviousRun(runs[0][0], runs[0][1] or state or State.FAILED)
    return None


def note_success(tx: Tx, run_id: str, job: str, *, namespace: str) -> None:
    """Note the success of a run of such a graph; it counts for the original of a rerun."""
    own = _original(tx, run_id)
    if own is not None:
        at = {"namespace": namespace, "job": job}
        tx.execute("note_past_success", run_id=str(own["id"]), **at)


def next_turns(rows: Sequence[Row]) -> list[str]:
    """Return those of a graph's waiting runs whose turn it may be.

    These are the first run by hand, the run for the first instant of each schedule, and every run
    that takes the place of another.
    """
    turns: dict[str, tuple[int, str]] = {}
    again: list[str] = []
    for row in rows:
        run_id = str(row["id"])
        if row["rerun_of"] is not None or row["parent_id"] is not None:
            again.append(run_id)
            continue
        instant = instant_of(row)
        line = "" if instant is None else str(row["schedule_id"])
        turn = instant or 0, run_id
        turns[line] = min(turn, turns.get(line, turn))
    return sorted([*again, *(run_id for _, run_id in turns.values())])


def instant_of(row: Row) -> int | None:
    """Return the instant of a schedule that a run is for; None if no schedule started it."""
    if row["schedule_id"] is None or row["origin"] is None:
        return None
    origin = _origin.decode(row["origin"])
    return origin.scheduled_for if origin.kind in _TIMED else None


def _original(tx: Tx, run_id: str) -> Row | None:
    """Return the run whose place this one takes: the first of its reruns, or of its node's tries.

    If history has forgotten that run, the row has only what is known of it.
    """
    row = tx.one("find_turn", id=run_id)
    while row is not None and row["rerun_of"] is not None:
        before = tx.one("find_turn", id=str(row["rerun_of"]))
        row = before or {**row, "id": row["rerun_of"], "rerun_of": None}
    if row is None or row["parent_id"] is None:
        return row
    outer = _original(tx, str(row["parent_id"]))
    if outer is None:
        return row
    first = _of_node(tx, [str(outer["id"])], row)
    return tx.one("find_turn", id=first[0][0]) if first else row


def _runs_before(tx: Tx, own: Row, job: str, namespace: str) -> Iterator[list[Member]]:
    """Yield the runs before this one, the latest first; an instant yields all its runs together."""
    instant = instant_of(own)
    at = str(own["id"])
    while True:
        if instant is not None:
            how = {"schedule_id": str(own["schedule_id"]), "instant": instant}
            rows = tx.all("instants_before", limit=LOOKED_AT, **how)
            groups = [list(each) for _, each in groupby(rows, key=lambda row: int(row["instant"]))]
        else:
            how = {"namespace": namespace, "job": job}
            rows = tx.all("runs_before", id=at, limit=LOOKED_AT, **how)
            groups = [list(each) for _, each in groupby(rows, key=lambda row: str(row["id"]))]
        for group in groups:
            if instant is not None or _is_original(tx, str(group[0]["id"])):
                yield [(str(row["id"]), _state(row)) for row in group]
        if len(rows) < LOOKED_AT:
            return
        instant, at = rows[-1].get("instant"), str(rows[-1]["id"])


def _is_original(tx: Tx, run_id: str) -> bool:
    """Whether the run has a place of its own; a node of a rerun takes that of the original."""
    row = _original(tx, run_id)
    return row is None or str(row["id"]) == run_id


def _with_reruns(tx: Tx, runs: Sequence[Member], namespace: str) -> list[Member]:
    """Return these runs and all their reruns, including reruns of reruns, in the order of ids."""
    newest = dict(runs)
    for run_id, _ in runs:
        row = tx.one("find_turn", id=run_id)
        if row is None:
            continue
        if row["parent_id"] is not None:
            outer = tx.one("find_turn", id=str(row["parent_id"]))
            around = [(str(outer["id"]), _state(outer))] if outer else []
            ids = [each for each, _ in _with_reruns(tx, around, namespace)]
            newest |= dict(_of_node(tx, ids, row)) if ids else {}
            continue
        at = {"namespace": namespace, "job": row["job"], "limit": MANY}
        for each in tx.all("reruns_since", id=run_id, **at):
            if str(each["rerun_of"]) in newest:
                newest[str(each["id"])] = _state(each)
    return sorted(newest.items())


def _is_good(tx: Tx, members: Sequence[Member], job: str, namespace: str) -> bool:
    if any(state in (None, State.SUCCESS) for _, state in members):
        return True
    ids = json.dumps([run_id for run_id, _ in members])
    return tx.one("are_past_successes", namespace=namespace, job=job, ids=ids) is not None


def _of_node(tx: Tx, graph_ids: Sequence[str], row: Row) -> list[Member]:
    ids = json.dumps(sorted(graph_ids))
    rows = tx.all("runs_of_node", ids=ids, node=row["node"], item=row["item"])
    return [(str(each["id"]), _state(each)) for each in rows]


def _state(row: Row) -> State | None:
    return State(row["state"]) if row["state"] else None
