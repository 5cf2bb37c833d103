"""Node endings: how the end of a node's run is reported to its graph."""

from __future__ import annotations

import msgspec

from rota.model.runs.run import ErrorDetail
from rota.model.states import State
from rota.rules.graphs.joins import Ending

ENDINGS = {
    State.SUCCESS: Ending.SUCCESS,
    State.FAILED: Ending.FAILED,
    State.CANCELLED: Ending.FAILED,
    State.SKIPPED: Ending.SKIPPED,
}


class NodeEnding(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a node that has just ended."""

    graph_id: str
    node: str
    item: int | None
    run_id: str
    state: State
    result: str | None = None
    reason: str | None = None
    error: ErrorDetail | None = None
