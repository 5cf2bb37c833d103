"""Failure: what the job named by `on_failure` is told of a run that has failed for good."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has failed for good; take it as the parameter `failure` of a handler.

    Arguments and results of the run are not in it, as they may be large: `app.run(run_id)` has
    them.
    """

    run_id: str
    job: str
    version: int
    namespace: str
    attempt: int
    """How many there were."""
    reason: str
    """Why no other attempt follows."""
    error_type: str
    """Such as `ValueError`; `RunFailed` where no exception stands for it."""
    error_message: str
    failed_at: datetime
    logs: str
    """The command that shows its log lines."""
    schedule: str | None = None
    """The schedule that started it, and the instant it is for."""
    scheduled_for: datetime | None = None
    graph_run: str | None = None
    """Of a node: the run of its graph, and the name of the node in it."""
    node: str | None = None
