"""The state machine of a run: one table that code, SQL guards and views obey.

No other code spells a state in an `if`; SQL reads this table as {from:verb} and {to:verb}.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    """The state of a run."""

    PENDING = "pending"
    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RUNNING = "running"
    SUSPENDED = "suspended"
    SUCCESS = "success"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


FINAL = frozenset({State.SUCCESS, State.FAILED, State.CANCELLED, State.SKIPPED})
LIVE = frozenset(State) - FINAL


class Transition(NamedTuple):
    """The states a verb may start from, and the one it leads to."""

    allowed: frozenset[State]
    to: State


def _from(*states: State) -> frozenset[State]:
    return frozenset(states)


TRANSITIONS: Mapping[str, Transition] = {
    "unblock": Transition(_from(State.PENDING), State.QUEUED),
    "skip": Transition(_from(State.PENDING), State.SKIPPED),
    "refuse": Transition(_from(State.PENDING), State.FAILED),
    "promote": Transition(_from(State.SCHEDULED), State.QUEUED),
    "claim": Transition(_from(State.QUEUED), State.RUNNING),
    "heartbeat": Transition(_from(State.RUNNING), State.RUNNING),
    "succeed": Transition(_from(State.RUNNING), State.SUCCESS),
    "retry": Transition(_from(State.RUNNING), State.SCHEDULED),
    "fail": Transition(_from(State.RUNNING), State.FAILED),
    "suspend": Transition(_from(State.RUNNING), State.SUSPENDED),
    "release": Transition(_from(State.RUNNING), State.QUEUED),
    "reap": Transition(_from(State.RUNNING), State.QUEUED),
    "abort": Transition(_from(State.RUNNING), State.CANCELLED),
    "resume": Transition(_from(State.SUSPENDED), State.QUEUED),
    "complete": Transition(_from(State.SUSPENDED), State.SUCCESS),
    "fail_graph": Transition(_from(State.SUSPENDED), State.FAILED),
    "hold": Transition(_from(State.SCHEDULED, State.QUEUED), State.PENDING),
    "defer": Transition(_from(State.RUNNING), State.PENDING),
    "expire": Transition(_from(State.QUEUED), State.FAILED),
    "cancel": Transition(LIVE - {State.RUNNING}, State.CANCELLED),
}


def verbs_from(state: State) -> list[str]:
    """Return the verbs that may act on a run in this state, for views that offer buttons."""
    return sorted(verb for verb, change in TRANSITIONS.items() if state in change.allowed)
