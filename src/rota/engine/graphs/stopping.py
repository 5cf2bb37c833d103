"""Stopping: decide how a node ends while its runs still work; it ends with the last of them.

Nodes after a node rely on none of its runs working any more: a teardown clears away what a handler
uses, and a retry of the graph does the same work again. A node whose end is decided early therefore
stays active, its row keeps the decision, and its runs are asked to stop.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from rota.engine.failures.batch_isolation import keepable
from rota.engine.graphs.nodes.rows import MAX_REASON, NodeRow, NodeRows
from rota.engine.values.stored_text import read
from rota.model.runs.run import ErrorDetail
from rota.rules.graphs.joins import Ending


class Stopping(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The decided ending of a node once its runs have ended, however these end."""

    ending: Ending
    reason: str
    type: str | None = None
    """The type of the error, for nodes that read it."""
    is_marked: bool = False
    """Whether a person decided the ending."""


class StoppingNeeds(Protocol):
    """The part of a propagation that this module uses."""

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
    """Whether the node's end is decided; an active node's row has no other kind of result."""
    return row.state == "active" and row.result is not None


def stopping_of(row: NodeRow) -> Stopping | None:
    """The decided ending of a node; None if nothing was decided."""
    if not is_stopping(row):
        return None
    return read(_stopping, row.result or "", f"how node {row.name!r} is to end")


def end_after_its_runs(
    propagation: StoppingNeeds, row: NodeRow, how: Stopping, *, waits: bool
) -> None:
    """End the node as decided: now, or with the last of its runs if it `waits` for them."""
    if not waits:
        end_as(propagation, row, how)
        return
    storable = msgspec.structs.replace(how, reason=keepable(how.reason))
    row.state, row.reason = "active", storable.reason[:MAX_REASON]
    row.result = msgspec.json.encode(storable).decode()
    propagation.node_rows.change(row)


def end_stopped(propagation: StoppingNeeds, row: NodeRow) -> None:
    """End a stopping node as decided, because its last run has ended."""
    how = stopping_of(row)
    if how is not None:
        end_as(propagation, row, how)


def end_as(propagation: StoppingNeeds, row: NodeRow, how: Stopping) -> None:
    row.result = None
    error = ErrorDetail(type=how.type, message=how.reason) if how.type else None
    propagation.end(row, how.ending, how.reason, error)


def has_live_instances(row: NodeRow) -> bool:
    """Whether a mapped node has instances that have not ended."""
    return (row.ended or 0) < (row.made or 0)
