"""Runs as desks tell of them: which are asked for, one in a list, and all about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rota.engine.insight.reasons import Reason
    from rota.model.graphs.run_nodes import RunNodes
    from rota.model.run import AttemptView, RunView


class Filters(NamedTuple):
    """Which runs."""

    state: str | None
    job: str | None
    queue: str | None
    before: str | None
    limit: int


class Listed(NamedTuple):
    """A run in a list, and what keeps it."""

    run: RunView
    is_held: bool
    obstacle: str | None
    is_paused: bool = False
    """Of a run of a graph: no other nodes start until somebody resumes it."""


class Shown(NamedTuple):
    """All about one run."""

    run: RunView
    attempts: list[AttemptView]
    tally: dict[str, int]
    reasons: list[Reason]
    is_held: bool
    graph: RunNodes
    on_failure_run: str | None = None
    is_paused: bool = False
    """Of a run of a graph: no other nodes start until somebody resumes it."""
