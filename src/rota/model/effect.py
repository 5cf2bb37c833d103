"""Effects as people see them: calls of handlers to the outside world, and how far they came."""

from __future__ import annotations

from typing import Literal

import msgspec

EffectState = Literal["under_way", "in_doubt", "done", "not_done", "taken_up"]
"""Of a run that is at it; begun, and nobody knows its end; with a result; a person said that it did
not take place; gone on with by a later run."""


class EffectView(msgspec.Struct, frozen=True, kw_only=True):
    """One effect of a run; see `current_run().once()`."""

    run_id: str
    job: str
    name: str
    state: EffectState
    idempotency_key: str
    """What the system outside knows the call by."""
    intended_at: int
    settled_at: int | None = None
    result: str | None = None
    """JSON text, when it is done."""
    decided_by: str | None = None
    """The person who settled it; None if its handler did."""
    taken_by: str | None = None
    """The run that was run again and goes on with it: settle it there."""
    graph_id: str | None = None
    """The run of the graph, where the run carries out a node."""
