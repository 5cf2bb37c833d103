"""Stopping: how a node will end is decided while runs of it still work; it ends with the last one.

What comes after a node may rely on it that nothing of the node works any more: a teardown clears
away what a handler uses, a retry of the graph does the same work again. So a node whose end is
decided early stays active, its row keeps the decision, and its runs are asked to stop.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from rota.engine.failures.batch_isolation import keepable
from rota.engine.graphs.nodes.rows import MAX_REASON, NodeRow, NodeRows
from rota.engine.values.stored_text import read
from rota.model.run import ErrorDetail
from rota.rules.graphs.joins import Ending


class Stopping(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a node ends when its runs have ended, whatever these do meanwhile."""

    ending: Ending
    reason: str
    type: str | None = None
    """The type of the error, for nodes that ask for it."""
    is_marked: bool = False
    """Whether a person has decided it."""


class StoppingNeeds(Protocol):
    """What is asked of a step."""

    node_rows: NodeRows

    def end(
        self,
        row: NodeRow,
        ending: Ending,
        reason: str | None = None,
        error: ErrorDetail | None = None,
    ) -> None: ...


_stopping = msgspec.json.Decoder(Stopping)


def is_stopping(row: NodeRow) -> bool:
    """Whether its end is decided; the row of an active node holds nothing else as its result."""
    return row.state == "active" and row.result is not None


def stopping_of(row: NodeRow) -> Stopping | None:
    """What was decided, if anything."""
    if not is_stopping(row):
        return None
    return read(_stopping, row.result or "", f"how node {row.name!r} is to end")


def end_after_its_runs(
    propagation: StoppingNeeds, row: NodeRow, how: Stopping, *, waits: bool
) -> None:
    """The node ends as decided: now, or with the last of its runs if it has to wait for some."""
    if not waits:
        end_as(propagation, row, how)
        return
    kept = msgspec.structs.replace(how, reason=keepable(how.reason))
    row.state, row.reason = "active", kept.reason[:MAX_REASON]
    row.result = msgspec.json.encode(kept).decode()
    propagation.node_rows.change(row)


def end_stopped(propagation: StoppingNeeds, row: NodeRow) -> None:
    """The last run of it has ended."""
    how = stopping_of(row)
    if how is not None:
        end_as(propagation, row, how)


def end_as(propagation: StoppingNeeds, row: NodeRow, how: Stopping) -> None:
    row.result = None
    error = ErrorDetail(type=how.type, message=how.reason) if how.type else None
    propagation.end(row, how.ending, how.reason, error)


def has_live_instances(row: NodeRow) -> bool:
    """Whether runs of a mapped node have not ended."""
    return (row.ended or 0) < (row.made or 0)
