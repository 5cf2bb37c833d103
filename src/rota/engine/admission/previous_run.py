"""The previous run: which one a run of a graph that depends on its past waits for, and how it went.

The past of a run is the one before it: of a run of a schedule the run for the instant before, of
any other the last one that was asked for earlier. A rerun stands where its original stands, and
so does a node of a rerun. The past is good if that run, or any rerun of it, has succeeded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from rota.errors import BadGraph
from rota.model.run import Origin
from rota.model.states import FINAL, State
from rota.store.base import Row, Tx

LOOKED_AT = 20
"""Runs that are read at once; mostly the first one decides."""
MANY = 10_000
"""Reruns that are looked at."""
_TIMED = ("time", "backfill")
_origin = msgspec.json.Decoder(Origin)

Member = tuple[str, State | None]
"""A run, and its state; None if history has forgotten it, as it does with successes first."""


class PastFailed(BadGraph):
    """The run before it did not succeed, and neither did a rerun of it."""


class PreviousRun(NamedTuple):
    """The run that keeps another from beginning."""

    run_id: str
    state: State

    @property
    def is_live(self) -> bool:
        return self.state not in FINAL


def run_before(tx: Tx, run_id: str, job: str, *, namespace: str) -> PreviousRun | None:
    """What this run has to wait for, or what fails it; None if its past is good."""
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
        if not tx.one("is_discarded", id=last):  # nobody will run that again
            return PreviousRun(runs[0][0], runs[0][1] or state or State.FAILED)
    return None


def note_success(tx: Tx, run_id: str, job: str, *, namespace: str) -> None:
    """A run of such a graph has succeeded: so has the one that it is a rerun of."""
    own = _original(tx, run_id)
    if own is not None:
        at = {"namespace": namespace, "job": job}
        tx.execute("note_past_success", run_id=str(own["id"]), **at)


def next_turns(rows: Sequence[Row]) -> list[str]:
    """Of runs that wait for others of their graph, those whose turn it may be.

    The first by hand, of each schedule the one for the first instant, and all whose place is that
    of another run.
    """
    found: dict[str, tuple[int, str]] = {}
    again: list[str] = []
    for row in rows:
        run_id = str(row["id"])
        if row["rerun_of"] is not None or row["parent_id"] is not None:
            again.append(run_id)
            continue
        instant = instant_of(row)
        line = "" if instant is None else str(row["schedule_id"])
        turn = instant or 0, run_id
        found[line] = min(turn, found.get(line, turn))
    return sorted([*again, *(run_id for _, run_id in found.values())])


def instant_of(row: Row) -> int | None:
    """The instant of a schedule that a run is for; None if it was asked for in another way."""
    if row["schedule_id"] is None or row["origin"] is None:
        return None
    origin = _origin.decode(row["origin"])
    return origin.scheduled_for if origin.kind in _TIMED else None


def _original(tx: Tx, run_id: str) -> Row | None:
    """The run whose place this one has: the first of its reruns, or of the tries of its node.

    Of one that history has forgotten, all that is known.
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
    """The runs before it, the last first; of an instant all that there are for it."""
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
    """False for a node of a rerun, which stands where that of the original stands."""
    row = _original(tx, run_id)
    return row is None or str(row["id"]) == run_id


def _with_reruns(tx: Tx, runs: Sequence[Member], namespace: str) -> list[Member]:
    """These and all reruns of them, and reruns of those; the last one last."""
    found = dict(runs)
    for run_id, _ in runs:
        row = tx.one("find_turn", id=run_id)
        if row is None:
            continue
        if row["parent_id"] is not None:
            outer = tx.one("find_turn", id=str(row["parent_id"]))
            around = [(str(outer["id"]), _state(outer))] if outer else []
            ids = [each for each, _ in _with_reruns(tx, around, namespace)]
            found |= dict(_of_node(tx, ids, row)) if ids else {}
            continue
        at = {"namespace": namespace, "job": row["job"], "limit": MANY}
        for each in tx.all("reruns_since", id=run_id, **at):
            if str(each["rerun_of"]) in found:
                found[str(each["id"])] = _state(each)
    return sorted(found.items())


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
