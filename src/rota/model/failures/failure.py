"""Failure: the report on a run that has failed for good, for the job named by `on_failure`."""

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
    """The number of attempts."""
    reason: str
    """The reason why no other attempt follows."""
    error_type: str
    """The type of the error, such as `ValueError`; `RunFailed` where there was no exception."""
    error_message: str
    failed_at: datetime
    logs: str
    """The command that shows its log lines."""
    schedule: str | None = None
    """The schedule that started it; `scheduled_for` is the instant it is for."""
    scheduled_for: datetime | None = None
    graph_run: str | None = None
    """For a node, the run of its graph; `node` is its name in it."""
    node: str | None = None
