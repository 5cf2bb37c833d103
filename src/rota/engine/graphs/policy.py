"""Graph policy: the retries and timeout of a graph run, which its node or submit may change."""

from __future__ import annotations

import msgspec

from rota.engine.graphs.shape import GraphShape
from rota.engine.values.stored_text import read
from rota.model.jobs.spec import PolicyChange

_policy = msgspec.json.Decoder(PolicyChange)


def retries_of(shape: GraphShape, policy: str | None) -> int:
    """Return how often a run of the graph begins again after a failure."""
    change = _change(policy, '"retry"')
    return shape.graph.retries if change is None or change.retry is None else change.retry.limit


def timeout_of(shape: GraphShape, policy: str | None) -> int | None:
    """The milliseconds that a run of the graph may take in all; None for no limit."""
    change = _change(policy, '"timeout_ms"')
    if change is None or change.timeout_ms is None:
        return shape.timeout_ms
    return change.timeout_ms


def _change(policy: str | None, field: str) -> PolicyChange | None:
    if policy is None or field not in policy:
        return None
    return read(_policy, policy, "the policy of the run")
