"""Effects as people see them: calls of handlers to the outside world, and their states."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import JsonText, View

EffectState = Literal["under_way", "in_doubt", "done", "not_done", "taken_up"]
"""The state of an effect: its run goes on with it; it began, and its end is unknown; it has a
result; a person said that it did not take place; or a later run went on with it.
"""


class EffectView(View, frozen=True):
    """A call to the outside world that a handler made with `current_run().once()`."""

    run_id: str = msgspec.field(name="executionId")
    job: str
    name: str
    state: EffectState
    idempotency_key: str
    """The key that the outside system gets with the call."""
    intended_at: Moment
    settled_at: Moment | None = None
    result: JsonText | None = None
    """The result of the call, once it is done."""
    decided_by: str | None = None
    """The person who settled it; None if its handler did."""
    taken_by: str | None = None
    """The run that was run again and goes on with it: settle it there."""
    graph_id: str | None = None
    """The run of the graph, where the run carries out a node."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
