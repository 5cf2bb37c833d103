"""Overlap as a hold: starts of a schedule wait until earlier runs of it have ended.

`engine/schedules/starts.py` checks it for each start, with the row of the schedule locked; the rule
is `rules/schedules/overlap.py`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from rota.model.runs.reason import Reason
from rota.model.runs.run import Origin, RunView
from rota.model.states import State
from rota.rules.schedules.overlap import Crowd, Outcome, Policy, decide, places
from rota.store.base import Row, Tx

PAUSED = "paused"
_origin = msgspec.json.Decoder(Origin)


class WaitingStart(msgspec.Struct, frozen=True):
    """A start that may have to wait: the run that it became, or would become."""

    id: str
    fence: int
    namespace: str
    expires_at: int | None
    by_hand: bool = False


NEW_START = WaitingStart("", 0, "", None)


class LiveRuns:
    """The runs of one schedule that have not ended."""

    def __init__(self) -> None:
        self.running: list[Row] = []
        self.waiting: list[WaitingStart] = []


def live_runs(tx: Tx, schedule_ids: Sequence[str]) -> dict[str, LiveRuns]:
    """Return the live runs by schedule; waiting ones are ordered by when they began to wait."""
    runs_by_schedule: dict[str, LiveRuns] = defaultdict(LiveRuns)
    if not schedule_ids:
        return runs_by_schedule
    ids = json.dumps(schedule_ids)
    for row in tx.all("fired_runs", ids=ids):
        runs_by_schedule[str(row["schedule_id"])].running.append(row)
    # Sort by when they began to wait, then by instant.
    rows = tx.all("waiting_runs", ids=ids)
    origins = {row["id"]: _origin.decode(row["origin"]) for row in rows if row["origin"]}
    for row in sorted(rows, key=lambda row: _turn(row, origins.get(row["id"]))):
        origin = origins.get(row["id"])
        by_hand = origin is not None and origin.kind == "manual"
        runs_by_schedule[str(row["schedule_id"])].waiting.append(
            WaitingStart(str(row["id"]), row["fence"], row["namespace"], row["expires_at"], by_hand)
        )
    return runs_by_schedule


def admit_starts(
    schedule: Row, policy: Policy, live: LiveRuns, *, waiting: Sequence[WaitingStart], fresh: int
) -> Outcome[WaitingStart]:
    """Decide which waiting starts, and which of `fresh` new ones, may start now."""
    movable = _movable(schedule, waiting)
    return decide(policy, _crowd(schedule, live), waiting=movable, fresh=[NEW_START] * fresh)


def free_places(tx: Tx, schedule: Row, policy: Policy) -> int:
    """Return how many runs a backfill that keeps to the policy of this schedule may start now."""
    live = live_runs(tx, [str(schedule["id"])])[str(schedule["id"])]
    waiting = len(_movable(schedule, live.waiting))
    return places(policy, _crowd(schedule, live), waiting=waiting)


def why_start_waits(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return why a start of a schedule, already a run, may not start yet."""
    del namespace
    if run.schedule_id is None or run.state is not State.PENDING:
        return []
    row = tx.one("why_waiting", id=run.schedule_id)
    if row is None:
        return [Reason(kind="blocked", says="its schedule was removed while it waited; cancel it")]
    if row["blocked_by"] is not None:
        says = (
            f"schedule {row['name']} runs in strict order, and run {row['blocked_by']} has failed; "
            "rerun that one, or unblock the schedule"
        )
        return [Reason(kind="blocked", says=says)]
    says = f"it waits until other runs of schedule {row['name']} have ended: {row['running']} now"
    blocked = Reason(kind="blocked", says=says, count=row["running"])
    if row["state"] != PAUSED or _is_by_hand(run):
        return [blocked]
    note = f": {row['note']}" if row["note"] else ""
    says = f"schedule {row['name']} is paused{note}; resume it"
    return [Reason(kind="paused", says=says), *([blocked] if row["running"] else [])]


def _turn(row: Row, origin: Origin | None) -> tuple[int, int, str]:
    scheduled_for = 0 if origin is None else origin.scheduled_for
    return row["created_at"], scheduled_for, str(row["id"])


def _movable(schedule: Row, waiting: Sequence[WaitingStart]) -> list[WaitingStart]:
    """Return the starts that may take a free place; for a paused schedule only starts by hand."""
    is_paused = schedule["state"] == PAUSED
    return [each for each in waiting if each.by_hand or not is_paused]


def _crowd(schedule: Row, live: LiveRuns) -> Crowd:
    return Crowd(
        running=len(live.running),
        stopping=sum(bool(each["cancel_requested"]) for each in live.running),
        lent=sum(each["backfill_id"] is not None for each in live.running),
        is_blocked=schedule["blocked_by"] is not None,
    )


def _is_by_hand(run: RunView) -> bool:
    return run.origin is not None and _origin.decode(str(run.origin)).kind == "manual"
